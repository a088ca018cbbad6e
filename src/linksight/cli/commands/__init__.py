"""Commands of one module each.

train, evaluate, reproduce, bench    classifiers: learn, measure, rerun the papers, compare with peers
identify                             language, script and encoding of pages
serve, languages, doctor, data       the studio; what the models know; what is installed; labelled data
"""
