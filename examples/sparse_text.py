"""Sparse text in a Pipeline, with GridSearchCV.

Which words tell topics apart? The texts are the docstrings of six parts of SciPy, so nothing is
downloaded. The tf-idf matrix is sparse and stays sparse through selector and classifier. The grid
search tries several selectors and numbers of words; random words show what a selection is worth.

What to see: both selectors are far ahead of random words, most of all with few words. On these
texts MCFS is ahead of BLUFS, which is not true of all texts: with labels at hand, as here, let the
grid search decide.
"""

import inspect

import matplotlib.pyplot as plt
import numpy as np
from scipy import linalg, ndimage, optimize, signal, sparse, stats
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from blufs import BLUFS, MCFS, RandomFeatures

modules = {m.__name__.split(".")[1]: m for m in (linalg, ndimage, optimize, signal, sparse, stats)}
texts, topics = [], []
for topic, module in modules.items():
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or ""
        if inspect.isroutine(getattr(module, name)) and len(text) > 400:
            texts.append(text)
            topics.append(topic)

stop_words = [*ENGLISH_STOP_WORDS, "scipy", *modules]  # the topic's own name would be too easy
words = TfidfVectorizer(token_pattern="[a-z]{3,}", stop_words=stop_words, min_df=8)
X = words.fit_transform(texts)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {100 * X.nnz / np.prod(X.shape):.0f} % not zero")

model = Pipeline([("select", BLUFS()), ("classify", LogisticRegression(C=10, max_iter=1000))])
selectors = [
    BLUFS(n_clusters=6, n_neighbors=20),
    MCFS(n_clusters=6, n_neighbors=20),
    RandomFeatures(random_state=0),
]
s_values = [10, 30, 100]
grid = {"select": selectors, "select__n_features_to_select": s_values}
search = GridSearchCV(model, grid, cv=3).fit(X, topics)

chosen = words.get_feature_names_out()[BLUFS(12, n_clusters=6, n_neighbors=20).fit(X).get_support()]
print("12 words by BLUFS:", ", ".join(chosen))

scores = search.cv_results_["mean_test_score"].reshape(len(selectors), len(s_values))
fig, ax = plt.subplots(figsize=(6, 3.6))
for selector, row, line in zip(selectors, scores, ["o-", "s-", "k--"], strict=True):
    ax.plot(s_values, row, line, label=type(selector).__name__)
ax.set(xlabel="number of words s", ylabel="accuracy, 3-fold cross-validation", xscale="log")
ax.set_xticks(s_values, [str(s) for s in s_values], minor=False)
ax.minorticks_off()
ax.grid(alpha=0.3)
ax.legend()
plt.show()
