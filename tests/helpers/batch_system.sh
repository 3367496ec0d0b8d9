#!/bin/bash
# A batch system of this machine: it runs job scripts in the background, without a queue.
#   batch_system.sh submit FOLDER RULE MEM_MB SCRIPT   prints the number of the job
#   batch_system.sh status FOLDER NUMBER               prints running, success or failed
# It notes what was asked for in FOLDER/asked. The first job of the rule `select` is lost: its node
# dies without a word to Snakemake.
folder=$2
if [ "$1" = status ]; then
    case "$(cat "$folder/$3.code" 2>/dev/null)" in
        "") echo running ;;
        0) echo success ;;
        *) echo failed ;;
    esac
    exit
fi
echo "$3 $4" >> "$folder/asked"
number=$(wc -l < "$folder/asked")
if [ "$3" = select ] && mkdir "$folder/lost" 2>/dev/null; then
    echo 137 > "$folder/$number.code"
else
    { bash "$5"; echo $? > "$folder/$number.code"; } > "$folder/$number.log" 2>&1 &
fi
echo "$number"
