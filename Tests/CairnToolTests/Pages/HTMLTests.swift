import Testing

@testable import CairnTool

/// Tests that all text in markup is escaped.
@Suite struct `Markup` {
    @Test(arguments: [
        ("<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("a & b", "a &amp; b"), ("\"'", "&quot;&#39;"), ("&lt;", "&amp;lt;"),
        ("]]>-->", "]]&gt;--&gt;"),
        ("\u{0}\u{8}\u{1B}\u{7F}\u{85}\u{9F}", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("\u{FFFE}\u{FFFF}", "\u{FFFD}\u{FFFD}"),
        ("\u{202E}gnp\u{2066}", "\u{FFFD}gnp\u{FFFD}"), ("é😀\t\n", "é😀\t\n"), ("", ""),
    ])
    func `escapes texts`(_ text: String, _ markup: String) {
        #expect(HTML(text).markup == markup)
        #expect(HTML(.td) { text }.markup == "<td>\(markup)</td>")
    }

    @Test func `escapes the values of attributes`() {
        let element = HTML(.span, .title("\"><script x='")) { "a" }

        #expect(element.markup == "<span title=\"&quot;&gt;&lt;script x=&#39;\">a</span>")
    }

    @Test func `cannot contain text that is not escaped`() {
        let text = "<b>"
        let interpolated = HTML(.p) {
            "\(text) and \(text)"
            text
            for part in [text, "&"] { part }
            if text.isEmpty { "never" } else { HTML(.strong) { text } }
        }

        #expect(
            interpolated.markup
                == "<p>&lt;b&gt; and &lt;b&gt;&lt;b&gt;&lt;b&gt;&amp;<strong>&lt;b&gt;</strong></p>\n"
        )
    }

    @Test func `links only inside its page`() {
        let link = HTML(.a, .link(toID: "javascript:alert(1)")) { "x" }

        #expect(link.markup == "<a href=\"#javascript:alert(1)\">x</a>")
    }

    @Test(arguments: [(0.5, "0.5"), (2, "1.0"), (-1, "0.0"), (.nan, "0.0"), (1e-9, "0.0")])
    func `limits shares to between 0 and 1`(_ share: Double, _ text: String) {
        #expect(HTMLAttribute.share(share).value == "--share:\(text)")
    }
}
