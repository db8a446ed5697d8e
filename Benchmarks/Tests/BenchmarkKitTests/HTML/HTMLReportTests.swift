import Foundation
import Testing

@testable import BenchmarkKit

@Suite struct `Report as a page` {
    private let page = HTMLReport(.fixture([120, 130, 125])).text

    @Test func `needs no other files`() {
        for reference in ["src=", "href=", "url(", "@import", "<script"] {
            #expect(!page.contains(reference))
        }
    }

    @Test func `escapes the texts that it shows`() {
        #expect(page.contains("&lt;fast&gt; &amp; small"))
        #expect(!page.contains("<fast>"))
    }

    @Test func `shows which goals are met and what is missing for others`() {
        #expect(page.contains("<b>1 of 1</b><span>goals met"))
        #expect(page.contains("needs undo"))
    }

    @Test func `is well-formed except for its doctype`() throws {
        let document = page.replacingOccurrences(of: "<!doctype html>", with: "")
        var depth: [Substring] = []
        for match in document.matches(of: /<(\/?)([a-z0-9]+)[^>]*?(\/?)>/) {
            let (_, closing, name, own) = match.output
            if ["meta", "br"].contains(name) || !own.isEmpty { continue }
            if closing.isEmpty {
                depth.append(name)
            } else {
                #expect(depth.popLast() == name)
            }
        }
        #expect(depth.isEmpty)
    }

    @Test func `draws growth only if there are sizes to compare`() {
        var report = Report.fixture([120, 120], size: 10_000)
        report.rows += Report.fixture([240, 240], size: 100_000).rows

        #expect(!page.contains("<h2>Growth</h2>"))
        #expect(HTMLReport(report).text.contains("<h2>Growth</h2>"))
    }
}
