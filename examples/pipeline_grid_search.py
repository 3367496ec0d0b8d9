"""In a Pipeline, with GridSearchCV.

Every method is a scikit-learn transformer, so its parameters can be searched together with those
of a classifier. Here the labels do choose: the selector sees none, but the cross-validation does.

What to see: a few of the thirty features do about as well as twenty. A bar is one standard
deviation over the five folds, so points whose bars overlap cannot be told apart.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from blufs import BLUFS

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
model = make_pipeline(
    StandardScaler().set_output(transform="pandas"),
    BLUFS(n_clusters=2),
    LogisticRegression(max_iter=1000),
)
grid = {"blufs__n_features_to_select": [2, 4, 8, 12, 20], "blufs__alpha": [0.1, 10]}
search = GridSearchCV(model, grid, cv=5).fit(X, y)

names = search.best_estimator_["blufs"].get_feature_names_out()
print("best setting:", search.best_params_)
print("features:", ", ".join(names))

fig, ax = plt.subplots(figsize=(6, 3.6))
results = search.cv_results_
for alpha in grid["blufs__alpha"]:
    rows = [i for i, p in enumerate(results["params"]) if p["blufs__alpha"] == alpha]
    ax.errorbar(
        [results["params"][i]["blufs__n_features_to_select"] for i in rows],
        results["mean_test_score"][rows],
        yerr=results["std_test_score"][rows],
        marker="o",
        capsize=3,
        label=f"alpha = {alpha}",
    )
ax.set(xlabel="number of features s", ylabel="accuracy, 5-fold cross-validation")
ax.set_xticks(grid["blufs__n_features_to_select"])
ax.grid(alpha=0.3)
ax.legend()
plt.show()
