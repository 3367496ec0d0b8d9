# The whole benchmark: datasets -> selections -> evaluation -> statistics, tables, figures, report.
# Rules by stage in workflow/rules/, what they run in src/blufs/, what they run on in config.yaml.
include: "workflow/rules/benchmark.smk"


rule all:
    default_target: True
    input:
        result("complete.txt"),
