"""A summary by coverage, thesis 4.6: the sentences of a text that together cover what it is about.

python examples/summarise.py [FILE] [NUMBER OF SENTENCES]

Sentences are the documents. A word is worth covering when some sentences share it and most do not: those
of one sentence alone are details, those of nearly all say nothing. Words of up to three letters are left out.
"""

import re
import sys
from pathlib import Path

import numpy as np

from duelist.offline.diversity import candidates, choose_greedily, count_words
from duelist.offline.diversity.coverage import Features, word_coverage

TEXT = """
The harbour of the town was built for herring. For two hundred years boats left it every evening in autumn,
and every morning women salted the herring on the quay. Salt came from the south in barrels. The barrels went
back full of herring, and the town grew rich on them. Then, within ten years, the herring stayed away. Some
said that the water had become too warm. Others said that too many boats had followed the same fish for too
long. Most of the boats were sold, and the young people left the town to look for work elsewhere. One of the
salt houses burned down in a cold winter. What saved the town was the railway. The railway brought visitors
from the city, who came for the clean air and the long evenings. Visitors needed rooms, and so the salt houses
became hotels. Today more people work in hotels than ever worked on boats. In August a festival remembers the
herring, and visitors eat it on the quay, though it now comes frozen from far away.
"""


def summarise(text: str, k: int = 3) -> list[str]:
    """k sentences in the order of the text.

    >>> summarise("Cats purr. Dogs chase cats. Dogs bark, and cats hear dogs. Fish swim.", k=1)
    ['Dogs chase cats.']
    """
    sentences = [part for part in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if part]
    if len(sentences) <= k:
        return sentences
    long_words = [{w: n for w, n in count_words(part).items() if len(w) > 3} for part in sentences]
    shares = (0.0, 1.5 / len(sentences), 0.8)  # in one sentence; in several; in nearly all
    coverage = word_coverage(candidates(long_words), Features(("occurs",), shares))
    benefits = coverage.benefits(np.array([0.0, 1.0, -1.0]))  # a word in several sentences is worth 1, others 0
    return [sentences[place] for place in sorted(choose_greedily(coverage.cover, benefits, k))]


if __name__ == "__main__":
    text = Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else TEXT
    print("\n".join(summarise(text, int(sys.argv[2]) if len(sys.argv) > 2 else 3)))
