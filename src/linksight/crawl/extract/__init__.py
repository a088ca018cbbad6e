"""URLs in a page.

links            links with anchor texts and declared languages
embedded_urls    URLs inside other URLs, such as redirectors
requisites       images and style sheets that a browser needs
"""
