"""One process that opens published files and answers queries, for `sites`.

Its first argument is a JSON file with the files and the queries; the second is the file that it
writes its measurements to: CPU time from the start of the process, CPU time and wall-clock time of
each query, and when the first began and the last was answered.
"""

from __future__ import annotations

import json
import sys
import time
from hashlib import sha256
from pathlib import Path


def main() -> None:
    """Measure, and write what came out."""
    asked, written = map(Path, sys.argv[1:])
    given = json.loads(asked.read_text(encoding="utf-8"))
    from mkdocs_recall import Corpus  # its import counts

    corpus = Corpus.from_published(given["files"])
    corpus.recall(given["queries"][0])
    opened = time.process_time()
    seconds, waits = [], []
    answers = sha256()
    began = time.time()
    for query in given["queries"]:
        start, clock = time.process_time(), time.perf_counter()
        result = corpus.recall(query)
        passages = [(passage.uri, passage.text, passage.score) for passage in result.passages]
        seconds.append(time.process_time() - start)
        waits.append(time.perf_counter() - clock)
        answers.update(json.dumps(passages).encode())
    measured = {
        "opened": opened,
        "seconds": seconds,
        "waits": waits,
        "began": began,
        "ended": time.time(),
        "answers": answers.hexdigest(),
    }
    written.write_text(json.dumps(measured), encoding="utf-8")


if __name__ == "__main__":
    main()
