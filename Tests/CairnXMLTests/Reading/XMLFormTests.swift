import CairnModel
import CairnRows
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import StoreFileSupport
import Testing

@Suite struct `XML form` {
    private static let start = """
        <?xml version="1.0"?>
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
        """
    private static let info = """
        <databaseInfo><version>134481920</version>
        <UUID>4B585ECC-BF2A-4838-A4CE-6645EA7A4315</UUID><nextObjectID>9</nextObjectID>
        <metadata></metadata></databaseInfo>
        """

    /// Returns the values of the counters in a file with the given text.
    private func values(_ text: String) throws -> [Int64] {
        let counters = try CounterStore("XML")
        try Data(text.utf8).write(to: counters.file)
        let store = try counters.open()
        return try counters.rows(store).map { try counters.value(of: $0) }
    }

    private func objects(_ text: String) -> String {
        "\(Self.start)<database>\(Self.info)\(text)</database>"
    }

    @Test func `reads a plain file, whatever the case of its names`() throws {
        let text = objects(
            """
            <object type="COUNTER" id="z1"><attribute name="value" type="int64">5</attribute>
            </object><object type="Counter" id="z9"><attribute name="VALUE" type="int64">6</attribute>
            <attribute name="note" type="string">&lt;&amp;&#13;</attribute></object>
            """)

        let values = try values(text)

        #expect(values == [5, 6])
    }

    @Test(arguments: [
        "<!DOCTYPE database SYSTEM \"file:///etc/passwd\">", "<!DOCTYPE html>",
        "<!DOCTYPE database PUBLIC \"a\" \"file:///System/Library/DTDs/CoreData.dtd\">",
        "<!DOCTYPE database [<!ENTITY a \"b\">]>",
        """
        <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd" [
        <!ENTITY a SYSTEM "file:///etc/passwd">]>
        """,
    ])
    func `refuses a DOCTYPE that is not Core Data's own`(_ type: String) throws {
        let text = "<?xml version=\"1.0\"?>\(type)<database>\(Self.info)</database>"

        #expect(throws: StoreError.self) { try values(text) }
    }

    @Test(arguments: [
        "<object type=\"COUNTER\" id=\"z1\"><attribute name=\"note\">&a;</attribute></object>",
        "<object type=\"&a;\" id=\"z1\"></object>",
        "<object type=\"COUNTER\" id=\"1\"></object>", "<object id=\"z1\"></object>",
        "<object type=\"COUNTER\" id=\"z1\"></object><object type=\"COUNTER\" id=\"z1\"></object>",
        "<object type=\"COUNTER\" id=\"z99999999999999999999\"></object>",
        "<object type=\"OTHER\" id=\"z1\"></object>", "<thing></thing>", "<object",
        "<object type=\"COUNTER\" id=\"z1\"><attribute name=\"value\">x</attribute></object>",
        "<object type=\"COUNTER\" id=\"z1\"><attribute name=\"none\">1</attribute></object>",
        "<object type=\"COUNTER\" id=\"z1\"><attribute>1</attribute></object>",
        "<object type=\"COUNTER\" id=\"z1\" version=\"0\"></object>",
        String(repeating: "<object>", count: 10_000),
    ])
    func `refuses unexpected content, and names the line`(_ text: String) throws {
        let error = #expect(throws: StoreError.self) { try values(objects(text)) }

        guard case .corrupt(_, let position, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(position.hasPrefix("line "))
    }

    @Test func `reports that another document is not a store`() throws {
        let error = #expect(throws: StoreError.self) {
            try values("<?xml version=\"1.0\"?><plist></plist>")
        }

        guard case .notAStore(_, _, let found)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(found == "an XML document")
    }

    @Test func `keeps the keys from the ids of a plain file, and assigns higher new ones`() throws {
        let counters = try CounterStore("XML")
        let object = "<object type=\"COUNTER\" id=\"z107\"></object>"
        try Data(objects(object).utf8).write(to: counters.file)
        let store = try counters.open()
        let number = try #require(counters.model.entity(named: "Counter")).number

        let transaction = try store.beginSave()
        let keys = try transaction.reserveKeys([number: 1])
        try transaction.prepare(
            SaveRequest(inserted: RowBatch([try counters.row(store, 108, value: 2)])))
        _ = try transaction.commit()

        #expect(keys == [number: 108..<109])
        let text = try String(contentsOf: counters.file, encoding: .utf8)
        #expect(text.contains("id=\"z107\"") && text.contains("id=\"z108\""))
        #expect(text.contains("<nextObjectID>108</nextObjectID>"))
    }

    @Test func `keeps metadata dates exactly, although property lists cannot express them`()
        throws
    {
        let counters = try CounterStore("XML")
        let store = try counters.open()
        let date = Date(timeIntervalSinceReferenceDate: 600_000_000.123456)
        let values: [String: MetadataValue] = [
            "imported": .date(date), "all": .array([.date(date), "text"]), "name": "x",
        ]
        let transaction = try store.beginSave()
        try transaction.prepare(SaveRequest(metadata: values))
        _ = try transaction.commit()
        try store.close()

        let found = try XMLStore.metadata(at: .file(counters.file)).values
        let text = try String(contentsOf: counters.file, encoding: .utf8)
            .components(separatedBy: "<!-- cairn checksum")[0]
        // Another program may set a value and must keep the keys that it does not know.
        let edited = text.replacing(
            "<date>2020-01-06T10:40:00Z</date>", with: "<date>2021-01-06T10:40:00Z</date>")
        try Data(edited.utf8).write(to: counters.file)
        let after = try XMLStore.metadata(at: .file(counters.file)).values

        #expect(found == values)
        #expect(edited != text)
        #expect(after["imported"] != values["imported"] && after["name"] == "x")
    }

    @Test func `keeps texts of 12 MB`() throws {
        let counters = try CounterStore("XML")
        let store = try counters.open()
        let note = String(repeating: "text & more\n", count: 1 << 20)

        try counters.insert(store, counters.row(store, 1, value: 1, note: note))
        try store.close()

        let row = try #require(try counters.rows(counters.open()).first)
        let layout = RowLayouts(counters.model).layout(
            of: try #require(counters.model.entity(named: "Counter")))
        #expect(row.string(try #require(layout.slot(named: "note"))) == note)
    }

    @Test func `refuses a file that does not match its checksum, and reads one without a checksum`()
        throws
    {
        let counters = try CounterStore("XML")
        let store = try counters.open()
        try counters.insert(store, counters.row(store, 1, value: 77))
        try store.close()
        let text = try String(contentsOf: counters.file, encoding: .utf8)
        let changed = text.replacingOccurrences(of: ">77<", with: ">78<")
        let bare = changed.components(separatedBy: "<!-- cairn")[0]

        try Data(changed.utf8).write(to: counters.file)
        #expect(throws: StoreError.self) { try counters.open() }
        try Data(bare.utf8).write(to: counters.file)
        let row = try #require(try counters.rows(counters.open()).first)

        #expect(try counters.value(of: row) == 78)
    }
}
