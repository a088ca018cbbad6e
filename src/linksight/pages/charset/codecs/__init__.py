"""Decoders for encodings that Python lacks.

euc_tw, iso_2022_cn    Chinese
t61, vietnamese        teletex; VISCII, TCVN 5712, VPS and VIQR
"""
