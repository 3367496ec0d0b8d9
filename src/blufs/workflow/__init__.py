"""What the Snakemake rules call: plan/ decides, stages/ works, run/ runs a job."""
