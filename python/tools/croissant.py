"""Writes data/croissant.json, the card of the bundle in Croissant 1.0 (JSON-LD), from its
manifest and arrays:

    python3 python/tools/croissant.py          writes the card
    python3 python/tools/croissant.py --check  status 1 if the card would change
"""

import json
import re
import sys
from pathlib import Path

import numpy as np
import yaml

BUNDLE = Path(__file__).resolve().parent.parent.parent / "data" / "bundle"
REPOSITORY = "https://github.com/qats-bench/qats"

CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "sc": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

ARRAYS = {
    "logits": ("*/logits.npy", "n x k logits of a network or raw scores of boosted trees, before the softmax; masked classes are -inf"),
    "labels": ("*/labels.npy", "n labels from 0"),
    "features": ("*/features.npy", "n x d inputs of the network's last layer"),
    "splits": ("*/splits/*.npy", "which samples of the source each row is, and their SHA-256"),
}

FIELDS = {
    "setting": ("sc:Text", "data set and network, as folders of the bundle"),
    "rows": ("sc:Integer", "rows of the test set"),
    "classes": ("sc:Integer", "number of classes k"),
    "about": ("sc:Text", "network, training, source and licence, from manifest.yaml"),
}


def entries():
    return yaml.safe_load((BUNDLE / "manifest.yaml").read_text(encoding="utf-8"))["sets"]


def licences():
    """Return the addresses of the licences: that of our outputs, and those that the data sets state."""
    stated = {name for entry in entries() for name in re.findall(r"[A-Z]+(?:-[\w.]+)+", entry.get("licence", ""))}
    return [f"https://spdx.org/licenses/{name}" for name in ["MIT", *sorted(stated)]]


def networks():
    """Return a record for each network that the manifest describes."""
    records = []
    for entry in entries():
        if "note" not in entry or any(c in entry["set"] for c in "*?["):
            continue
        tests = sorted((BUNDLE / entry["set"]).glob("test*/logits.npy")) or sorted((BUNDLE / entry["set"]).glob("**/logits.npy"))
        n, k = np.load(tests[0], mmap_mode="r").shape
        records.append({"networks/setting": entry["set"], "networks/rows": n, "networks/classes": k, "networks/about": entry["note"]})
    return records


def card():
    files = [
        {
            "@type": "cr:FileObject",
            "@id": "repository",
            "name": "repository",
            "description": "the repository of qats",
            "contentUrl": REPOSITORY,
            "encodingFormat": "git+https",
            "sha256": "https://github.com/mlcommons/croissant/issues/80",
        }
    ]
    files += [
        {
            "@type": "cr:FileSet",
            "@id": name,
            "name": name,
            "description": about,
            "containedIn": {"@id": "repository"},
            "encodingFormat": "application/x-npy",
            "includes": f"data/bundle/{pattern}",
        }
        for name, (pattern, about) in ARRAYS.items()
    ]
    fields = [
        {"@type": "cr:Field", "@id": f"networks/{name}", "name": f"networks/{name}", "description": about, "dataType": kind}
        for name, (kind, about) in FIELDS.items()
    ]
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "name": "qats-bundle",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "description": "Logits and labels of calibration and test sets of real networks and boosted trees, trained for a benchmark of post-hoc calibrators. "
        "Predictions and labels alone; the samples are not in it. LICENSE has the terms of each data set; most state none.",
        "url": f"{REPOSITORY}/tree/main/data/bundle",
        "license": licences(),
        "version": "0.1.0",
        "datePublished": "2026-11-26",
        "citeAs": "The authors of qats: qats, a benchmark of post-hoc calibrators.",
        "creator": {"@type": "sc:Organization", "name": "The authors of qats"},
        "distribution": files,
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "networks",
                "name": "networks",
                "description": "The networks, one record each.",
                "key": {"@id": "networks/setting"},
                "field": fields,
                "data": networks(),
            }
        ],
    }


def main(words):
    path, text = BUNDLE.parent / "croissant.json", json.dumps(card(), indent=1, ensure_ascii=False) + "\n"
    if words != ["--check"]:
        path.write_text(text, encoding="utf-8")
    elif not path.is_file() or path.read_text(encoding="utf-8") != text:
        print("data/croissant.json is not that of the bundle: run python3 python/tools/croissant.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
