import Cairn
import CairnStore
import CairnTestSupport
import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import CairnTool

/// Tests the page of `cairn store report`, which a parser reads.
@Suite struct `Pages about stores` {
    private let folder: TemporaryFolder
    private let page: URL

    init() throws {
        folder = try TemporaryFolder()
        page = folder.file("page.html")
    }

    private func report(_ store: URL, _ rest: String...) throws -> ToolRun {
        try ToolRun(["store", "report", store.path, "--html", page.path] + rest)
    }

    private func document() throws -> XMLDocument {
        try XMLDocument(data: Data(contentsOf: page))
    }

    /// The names of all elements that the page and its diagram may contain.
    private static let knownElements: Set<String> = [
        "html", "head", "body", "style", "svg", "rect", "path", "text", "ellipse", "a", "article",
        "bdi", "dd", "details", "div", "dl", "dt", "figcaption", "figure", "footer", "h1", "h2",
        "h3",
        "header", "input", "label", "li", "main", "meta", "p", "section", "span", "strong",
        "summary",
        "table", "tbody", "td", "th", "thead", "title", "tr", "ul",
    ]

    private static func elements(_ node: XMLNode) -> [XMLElement] {
        ((node as? XMLElement).map { [$0] } ?? []) + (node.children ?? []).flatMap(elements)
    }

    private static func texts(_ document: XMLDocument, _ path: String) throws -> [String] {
        try document.nodes(forXPath: path).map {
            ($0.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        }
    }

    @Test func `show facts, counts, the model and samples`() throws {
        let run = try report(Repository.file("Fixtures/Trails.sqlite"))

        #expect(run.exitCode == 0, "\(run.errorText)")
        #expect(run.text == "wrote \(page.path): 10,000 objects, sound\n")
        let document = try document()
        #expect(try Self.texts(document, "//h1") == ["Trails.sqlite"])
        #expect(try Self.texts(document, "//section[@class='verdict good']/h2") == ["Sound"])
        #expect(
            try Self.texts(document, "//dl[@class='tiles']/div/dd[1]").prefix(4)
                == ["10,000", "8", "34,738", "1.5 MB"])
        let names = try Self.texts(document, "//table[@class='counts']/tbody/tr/th")
        let counts = try Self.texts(document, "//table[@class='counts']/tbody/tr/td[2]")
        #expect(names == ["Walk", "Photo", "Walker", "Summit", "Trail", "Hut", "Tag"])
        #expect(counts == ["4,800", "3,000", "800", "600", "500", "276", "24"])
        #expect(try document.nodes(forXPath: "//*[local-name()='svg']").count == 2)
        let hut = "//article[h3='Hut' or header/h3='Hut']"
        #expect(
            try Self.texts(document, "\(hut)//table[@class='sample']/thead/tr/th").prefix(4)
                == ["", "name", "elevation", "latitude"])
        #expect(
            try Self.texts(document, "\(hut)//table[@class='sample']/tbody/tr/th")
                == (601...605).map { "Hut/\($0)" })
        #expect(
            try Self.texts(document, "\(hut)//table[@class='declared']/tbody/tr[1]/td")
                == ["integer16", "required · default 0 · 0 to 400"])
    }

    @Test func `load nothing and run nothing`() throws {
        _ = try report(Repository.file("Fixtures/Trails.sqlite"))

        let text = try String(contentsOf: page, encoding: .utf8)
        let elements = Self.elements(try document())
        #expect(Set(elements.compactMap(\.localName)).subtracting(Self.knownElements) == [])
        let attributes = elements.flatMap { $0.attributes ?? [] }
        #expect(attributes.filter { $0.name?.hasPrefix("on") == true } == [])
        #expect(attributes.filter { $0.name == "src" } == [])
        let links = attributes.filter { $0.name == "href" }.compactMap(\.stringValue)
        #expect(!links.isEmpty && links.allSatisfy { $0.hasPrefix("#") })
        let targets = Set(attributes.filter { $0.name == "id" }.compactMap(\.stringValue))
        #expect(links.filter { !targets.contains(String($0.dropFirst())) } == [])
        #expect(!text.contains("url(") && !text.contains("@import"))
        #expect(text.contains("default-src 'none'") || text.contains("default-src &#39;none&#39;"))
    }

    static let hostileTexts = [
        "<script>alert(1)</script>", "</td></table><img src=x onerror=alert(1)>", "]]><!--",
        "&amp;\"'",
        "\u{0}\u{1}\u{1B}[31m", "\u{202E}evil\u{2066}", "\u{FFFE}\u{FFFF}", "</style></svg>",
        "line\r\nline", "e" + String(repeating: "\u{301}", count: 5_000),
        String(repeating: "<", count: 100_000), "",
    ]

    /// Creates a store with hostile names and values.
    private func hostileStore(_ type: StoreType) throws -> URL {
        let store = folder.file("<b>&\"store'.\(type.rawValue)")
        var entity = EntityDescription(
            "Evil",
            [
                .attribute("text", .string), .attribute("bytes", .binary),
                .attribute("number", .double), .attribute("day", .date),
            ])
        entity.userInfo = ["</dd><script>": "<svg onload=alert(1)>"]
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel([entity]))
        let added = try coordinator.addPersistentStore(ofType: type, at: store)
        try ContextHandle(source: coordinator).performAndWait { context in
            let dates = [1e300, .infinity, -1e12, 0.5]
            for (index, text) in Self.hostileTexts.enumerated() {
                let object = try context.insertNewObject(forEntityName: "Evil")
                try object.setValue(text, forKey: "text")
                try object.setValue(Data(repeating: 0x3C, count: index * 50_000), forKey: "bytes")
                try object.setValue(index % 2 == 0 ? Double.infinity : -1.5, forKey: "number")
                try object.setValue(
                    Date(timeIntervalSinceReferenceDate: dates[index % dates.count]), forKey: "day")
                // Save each object separately, so that the keys have the same order on every engine.
                try context.save()
            }
        }
        try coordinator.remove(added)
        return store
    }

    @Test(arguments: [StoreType.sqlite, .lmdb, .xml, .binary])
    func `escape hostile values and names`(_ type: StoreType) throws {
        let store = try hostileStore(type)

        let run = try report(store, "--sample", "100")

        #expect(run.exitCode == 0, "\(run.errorText)")
        let document = try document()
        let elements = Self.elements(document)
        #expect(Set(elements.compactMap(\.localName)).subtracting(Self.knownElements) == [])
        #expect(
            elements.flatMap { $0.attributes ?? [] }.allSatisfy { $0.name?.hasPrefix("on") != true }
        )
        #expect(try Self.texts(document, "//h1") == [store.lastPathComponent])
        let cells = try Self.texts(document, "//table[@class='sample']/tbody/tr/td[1]")
        try #require(cells.count == Self.hostileTexts.count)
        #expect(cells[0] == "<script>alert(1)</script>")
        #expect(cells[1] == "</td></table><img src=x onerror=alert(1)>")
        #expect(cells[3] == "&amp;\"'")
        #expect(cells[5] == "�evil�")
        #expect(cells[8] == "line line")
        #expect(cells[10].hasSuffix("… 100,000 characters"))
        #expect(cells[11] == "empty")
        // Long values are shortened, so the page stays small.
        #expect(try Data(contentsOf: page).count < 60_000)
        #expect(
            try Self.texts(document, "//dl[@class='declared']/div/dd")
                .contains("</dd><script> = <svg onload=alert(1)>"))
    }

    @Test func `show what is left of a damaged store`() throws {
        let store = folder.file("Trails.sqlite")
        var bytes = [UInt8](try Data(contentsOf: Repository.file("Fixtures/Trails.sqlite")))
        for index in (30 * 4096)..<(50 * 4096) {
            bytes[index] = UInt8(truncatingIfNeeded: index &* 7)
        }
        try Data(bytes).write(to: store)

        let run = try report(store)

        #expect(run.exitCode == 0, "\(run.errorText)")
        let document = try document()
        let verdict = try Self.texts(document, "//section[starts-with(@class,'verdict')]/@class")
        #expect(verdict == ["verdict bad"])
        #expect(try Self.texts(document, "//h1") == ["Trails.sqlite"])
        #expect(!(try document.nodes(forXPath: "//article").isEmpty))
    }

    @Test func `report the same as verify`() throws {
        let store = folder.file("Sample")
        let model = try ManagedObjectModel([
            EntityDescription("Note", [.attribute("text", .string, isOptional: false)])
        ])
        let opened = try SQLiteStore.open(
            OpenRequest(location: .file(store), model: model))
        var writer = RowWriter(store: opened.number)
        let note = try #require(model.entity(named: "Note"))
        let layout = opened.request.layouts.layout(of: note)
        writer.begin(layout, key: 1, version: 1)
        try writer.set(.null, at: layout.slots[0], of: layout)
        writer.endRow()
        let transaction = try opened.beginSave()
        try transaction.prepare(SaveRequest(inserted: writer.takeBatch()))
        _ = try transaction.commit()
        try opened.close()

        let run = try report(store)

        let problems = try Self.texts(try document(), "//section[@class='verdict bad']//li")
        #expect(run.text == "wrote \(page.path): 1 object, 1 problem\n")
        #expect(problems == ["Note/1.text: the required value is nil"])
    }

    @Test func `need no model to show counts`() throws {
        let run = try report(
            Repository.file("Fixtures/CoreData/RestKit/RKSeedDatabase.sqlite"))

        #expect(run.exitCode == 0, "\(run.errorText)")
        let document = try document()
        #expect(
            try Self.texts(document, "//section[@class='verdict unknown']/h2") == ["Not checked"])
        #expect(!(try Self.texts(document, "//table[@class='counts']/tbody/tr/th").isEmpty))
    }

    @Test func `replace an earlier report, and nothing else`() throws {
        let store = folder.file("Trails.sqlite")
        try FileManager.default.copyItem(at: Repository.file("Fixtures/Trails.sqlite"), to: store)
        let letter = folder.file("letter.html")
        try Data("<!DOCTYPE html><p>Dear Ada</p>".utf8).write(to: letter)

        let first = try report(store)
        let second = try report(store, "--sample", "1")
        let onto = try ToolRun(["store", "report", store.path, "--html", store.path])
        let ontoLetter = try ToolRun(["store", "report", store.path, "--html", letter.path])
        let ontoDevice = try ToolRun(["store", "report", store.path, "--html", "/dev/null"])
        #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
        let ontoPipe = try ToolRun([
            "store", "report", store.path, "--html", folder.file("pipe").path,
        ])

        #expect(ontoDevice.exitCode == 1 && ontoPipe.exitCode == 1)
        #expect(first.exitCode == 0 && second.exitCode == 0, "\(second.errorText)")
        #expect(onto.exitCode == 1 && ontoLetter.exitCode == 1)
        #expect(ontoLetter.errorText.contains("exists and is not a report of cairn"))
        #expect(
            try Data(contentsOf: store)
                == Data(contentsOf: Repository.file("Fixtures/Trails.sqlite")))
        #expect(try String(contentsOf: letter, encoding: .utf8).hasSuffix("Ada</p>"))
    }

    @Test(.enabled(if: Corpus.isThere)) func `can be written for every real store`() throws {
        for path in Corpus.storePaths {
            let inner = try TemporaryFolder()
            let store = try Corpus.copy(path, into: inner.url)

            let run = try report(store)

            #expect(run.exitCode == 0, "\(path): \(run.errorText)")
            let elements = Self.elements(try document())
            #expect(
                Set(elements.compactMap(\.localName)).subtracting(Self.knownElements) == [],
                "\(path)")
        }
    }
}
