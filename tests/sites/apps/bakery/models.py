"""Page types of a small Wagtail site."""

from django.db import models
from wagtail.fields import RichTextField
from wagtail.models import Page
from wagtail.search import index


class TextPage(Page):
    body = RichTextField(blank=True)
    search_fields = (*Page.search_fields, index.SearchField("body"))

    class Meta:
        abstract = True

    def get_template(self, request, *args, **kwargs):
        return "text.html"


class HomePage(TextPage): ...


class IndexPage(TextPage):
    def get_context(self, request):
        number = int(request.GET.get("page", 1))
        children = self.get_children().live()
        start = 20 * (number - 1)
        following = f"?page={number + 1}" if children.count() > start + 20 else ""
        return {
            **super().get_context(request),
            "children": children[start : start + 20],
            "following": following,
        }


class BlogPage(TextPage): ...


class RecipePage(TextPage):
    minutes = models.IntegerField(default=0)


class PersonPage(TextPage): ...


class EventPage(TextPage): ...
