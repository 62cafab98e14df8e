"""Public data sets: what each is, where it is published, and on which terms. None comes with the package."""

from __future__ import annotations

from typing import NamedTuple

LETOR = "https://www.microsoft.com/en-us/research/project/letor-learning-rank-information-retrieval/"
MSLR = "https://www.microsoft.com/en-us/research/project/mslr/"
MICROSOFT = "for research; downloading accepts the agreement on its page"
TREC = "https://trec.nist.gov/data.html"


class Published(NamedTuple):
    """A data set of somebody else's. Sizes are of the whole set; 0 where they do not apply."""

    what: str
    page: str  # of the publisher
    terms: str
    files: str  # what to unpack, and how it is read
    queries: int = 0
    documents: int = 0
    features: int = 0
    grades: int = 0  # labels are 0 to one less


CATALOGUE = {
    "MQ2007": Published(
        "LETOR 4.0: queries of TREC's Million Query track 2007 on .gov pages",
        LETOR,
        MICROSOFT,
        "MQ2007/S1.txt to S5.txt",
        1692,
        69623,
        46,
        3,
    ),
    "MQ2008": Published(
        "LETOR 4.0: queries of TREC's Million Query track 2008 on .gov pages",
        LETOR,
        MICROSOFT,
        "MQ2008/S1.txt to S5.txt",
        784,
        15211,
        46,
        3,
    ),
    "MSLR-WEB10K": Published(
        "queries and pages of Bing, judged by people",
        MSLR,
        MICROSOFT,
        "Fold1/train.txt, vali.txt, test.txt, ... to Fold5",
        10000,
        1200192,
        136,
        5,
    ),
    "MSLR-WEB30K": Published(
        "the same with three times as many queries", MSLR, MICROSOFT, "as MSLR-WEB10K", 31531, 3771125, 136, 5
    ),
    "Yahoo set 1": Published(
        "Yahoo's Learning to Rank Challenge 2010 (C14)",
        "https://research.yahoo.com/datasets",
        "for academic research, on request; see its page",
        "set1.train.txt, set1.valid.txt, set1.test.txt",
        29921,
        709877,
        519,
        5,
    ),
    "Yahoo set 2": Published(
        "the same for another country, smaller",
        "https://research.yahoo.com/datasets",
        "for academic research, on request; see its page",
        "set2.train.txt, set2.valid.txt, set2.test.txt; --fold 2",
        6330,
        172870,
        596,
        5,
    ),
    "Istella": Published(
        "queries and pages of a web search engine in Italy",
        "https://istella.ai/datasets/letor-dataset/",
        "for non-commercial use only; see its page",
        "train.txt, test.txt; it has no vali.txt: make one of part of train.txt",
        33018,
        10454629,
        220,
        5,
    ),
    "Istella-S": Published(
        "the same with fewer of the documents that are not relevant",
        "https://istella.ai/datasets/letor-dataset/",
        "for non-commercial use only; see its page",
        "train.txt, vali.txt, test.txt",
        33018,
        3408630,
        220,
        5,
    ),
    "Cranfield": Published(
        "abstracts on aerodynamics with judged queries, text; from the 1960s",
        "http://ir.dcs.gla.ac.uk/resources/test_collections/cran/",
        "none stated; see its page",
        "cranfield/cran.all.1400, cran.qry, cranqrel; for duelist reproduce thesis-3.6",
        225,
        1400,
    ),
    "Yandex": Published(
        "a click log of a web search engine, from its personalised search challenge",
        "https://www.kaggle.com/c/yandex-personalized-web-search-challenge",
        "the rules of the competition; see its page",
        "read_yandex reads the text form of a small sample of such logs",
    ),
    "TREC interactive 6-8": Published(
        "queries with judged subtopics, for diversity, as in chapter 4 of the thesis",
        TREC,
        "judgements are public, the news articles need an agreement with NIST; see its page",
        "not read: duelist reproduce thesis-4.1 uses a synthetic set",
        20,
    ),
    "TREC web 2009-12": Published(
        "queries with judged subtopics, for diversity",
        TREC,
        "topics and judgements are public, the pages (ClueWeb09) need a licence; see its page",
        "trec-web-diversity/; for duelist reproduce web-diversity",
        198,
    ),
}


def recognise(queries: int, documents: int, features: int) -> str:
    """Which public data set has these sizes, in a sentence.

    >>> recognise(784, 15211, 46)
    'as many queries and documents as MQ2008'
    >>> recognise(1692, 59135, 46)
    'as many queries as MQ2007, but not its 69,623 documents'
    """
    for name, entry in CATALOGUE.items():
        if entry[4:6] == (queries, documents):
            return f"as many queries and documents as {name}"
    for name, entry in CATALOGUE.items():
        if (entry.queries, entry.features) == (queries, features):
            return f"as many queries as {name}, but not its {entry.documents:,} documents"
    alike = [name for name, entry in CATALOGUE.items() if entry.features == features]
    return f"as many features as {', '.join(alike)}, but not all queries" if alike else "of no data set that we know"
