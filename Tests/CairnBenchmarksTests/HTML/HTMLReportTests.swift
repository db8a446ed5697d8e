import Foundation
import Testing

@testable import CairnBenchmarks

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

    @Test func `shows the names of rows and their goals only on request`() {
        let goals = HTMLReport(.fixture([120, 130, 125]), showsGoals: true).text

        #expect(goals.contains("<span class=\"name\">A</span> Does something"))
        #expect(goals.contains("≤ 1.50 ✓"))
        #expect(!page.contains("class=\"name\""))
        #expect(!page.contains("≤ 1.50"))
    }

    @Test func `says what a row waits for`() {
        #expect(page.contains("needs undo"))
    }

    @Test func `has no first screen and no growth without rows for them`() {
        #expect(!page.contains("class=\"first\""))
        #expect(!page.contains("<h2>Growth</h2>"))
    }

    @Test func `has the numbers of the marks as text`() {
        let page = HTMLReport(.fixture([120], peers: ["GRDB, fast": 200], headline: .fault)).text

        #expect(page.contains("120 ns<span class=\"hidden\"> (C 100 ns)</span>"))
        #expect(page.contains("<td>200 ns</td><td>1.7×</td>"))
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
        var report = Report.fixture([120, 120], size: 10_000, headline: .fetch)
        report.rows += Report.fixture([240, 240], size: 100_000, headline: .fetch).rows

        #expect(!page.contains("<svg"))
        #expect(HTMLReport(report).text.contains("<svg"))
    }
}
