"""Inner loops of training.

``hashed_extraction``   from texts of URLs to the table rows of their features
``dual_descent``        the linear support vector machine
``adagrad``             stochastic gradient descent for logistic regression
"""
