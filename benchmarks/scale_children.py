"""The programs that scale.py runs in processes of their own, so that memory and time are theirs alone."""

from __future__ import annotations

COMMON = """
import json, os, resource, sys, time
from pathlib import Path
import pyarrow as pa, pyarrow.parquet as pq
import linksight
from linksight.bulk.job import Job
from linksight.bulk.annotate import Labels
from linksight.bulk.readers import Reader
from linksight.bulk.sources import find_sources

def clocks():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime

def job(source, output):
    Path(output).unlink(missing_ok=True)
    return Job(reader=Reader(find_sources([str(source)])), labels=Labels(scorer=model), form="parquet", output=Path(output))

model = linksight.load()
model.predict_table(pq.ParquetFile(sys.argv[1]).read_row_group(0)["url"])   # compiled code is loaded before the clock starts
"""
FILES = (
    COMMON
    + """
some = next(pq.ParquetFile(sys.argv[1]).iter_batches(262_144, columns=["url"])).column(0)
n_rows = pq.ParquetFile(sys.argv[1]).metadata.num_rows
turns = int(sys.argv[3])

def kernel():   # half of it before the job and half after, so that both meet the same machine
    before = clocks()
    for _ in range(turns):
        model.predict_table(some)
    after = clocks()
    return after[0] - before[0], after[1] - before[1]

first = kernel()
before = clocks()
job(sys.argv[1], sys.argv[2]).run()
after = clocks()
last = kernel()
print(json.dumps({
    "rows": n_rows, "kernel_rows": 2 * turns * len(some), "kernel_s": first[0] + last[0], "kernel_cpu_s": first[1] + last[1],
    "job_s": after[0] - before[0], "job_cpu_s": after[1] - before[1],
    "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""
)
KINDS = (
    COMMON
    + """
import pyarrow.csv
folder = Path(sys.argv[2])
rows = pq.read_table(sys.argv[1])
rows = rows.set_column(1, "source", rows["source"].cast(pa.string()))
pa.csv.write_csv(rows, folder / "t.csv")
with (folder / "t.jsonl").open("w") as out:
    for batch in rows.to_batches(10_000):
        out.writelines(json.dumps(row, ensure_ascii=False) + "\\n" for row in batch.to_pylist())
(folder / "t.txt").write_text("\\n".join(rows["url"].to_pylist()))
pq.write_table(rows, folder / "t.parquet")
n_rows = rows.num_rows
del rows
told = []
for source, output in (("t.parquet", "o.parquet"), ("t.jsonl", "o.jsonl"), ("t.jsonl", "o2.parquet"), ("t.csv", "o.csv"),
                       ("t.txt", "o3.jsonl"), ("t.parquet", "by-language")):
    by_language = output == "by-language"
    work = Job(reader=Reader(find_sources([str(folder / source)])), labels=Labels(scorer=model), output=folder / output,
               form="parquet" if by_language else output.rpartition(".")[2], by_language=by_language)
    before = clocks()
    work.run(overwrite=True)
    after = clocks()
    told.append({"from": source[2:], "to": "Parquet, a file a language" if by_language else work.form,
                 "job_s": after[0] - before[0], "job_cpu_s": after[1] - before[1]})
groups = [pq.ParquetFile(path).metadata for path in (folder / "by-language").glob("*.parquet")]
print(json.dumps({"rows": n_rows, "jobs": told, "languages": len(groups), "row_groups": sum(g.num_row_groups for g in groups)}))
"""
)
SPARK = """
import json, os, sys, time
from pathlib import Path
from pyspark.sql import SparkSession

def cpu():   # of this process, the Java machine and its Python workers, those that ended included
    parents, used = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)], used[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    mine = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in mine} - mine:
        mine |= more
    return sum(used.get(pid, 0) for pid in mine) / os.sysconf("SC_CLK_TCK")

from linksight import spark as ls
session = (SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").config("spark.driver.memory", "2g")
           .config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
           .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536").getOrCreate())
session.sparkContext.setLogLevel("ERROR")
df = session.read.parquet(sys.argv[1])

def measured(table):
    began, before = time.perf_counter(), cpu()
    table.write.mode("overwrite").parquet(sys.argv[2])
    return time.perf_counter() - began, cpu() - before

for _ in range(2):   # workers are started, code is loaded
    ls.detect(df.limit(200_000).repartition(4)).write.mode("overwrite").parquet(sys.argv[2])
bare = measured(df.mapInArrow(lambda batches: batches, df.schema))   # the same way through Spark, and nothing done
seconds, used = measured(ls.detect(df))
rows = session.read.parquet(sys.argv[2]).count()
print(json.dumps({"rows": rows, "seconds": seconds, "cpu_s": used, "bare_seconds": bare[0], "bare_cpu_s": bare[1]}))
session.stop()
"""
PAGES = """
import json, sys, time
import pyarrow.parquet as pq
import linksight
bodies = pq.read_table(sys.argv[1], columns=["body"])["body"].to_pylist()[: int(sys.argv[2])]
for body in bodies:   # compiled code is loaded before the clock starts
    linksight.identify(body)
began = time.process_time()
for body in bodies:
    linksight.identify(body)
print(json.dumps({"pages": len(bodies), "bytes": sum(map(len, bodies)), "cpu_s": time.process_time() - began}))
"""
