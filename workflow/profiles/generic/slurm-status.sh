#!/bin/bash
# What has become of a job, for the executor cluster-generic: of SLURM, by squeue. Another batch system
# needs a script that prints the same words.
case "$(squeue --noheader --states=all --jobs="$1" --format=%T 2>/dev/null)" in
    COMPLETED) echo success ;;
    BOOT_FAIL | CANCELLED | DEADLINE | FAILED | NODE_FAIL | OUT_OF_MEMORY | PREEMPTED | TIMEOUT) echo failed ;;
    *) echo running ;;
esac
