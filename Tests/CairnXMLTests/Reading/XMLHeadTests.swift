import CairnModel
import CairnStore
import CairnTestSupport
import CairnXML
import Foundation
import Testing

/// Metadata and models can be read without the objects that follow them.
@Suite struct `The head of an XML store` {
    private static let identifier = "4B585ECC-BF2A-4838-A4CE-6645EA7A4315"

    private let folder: TemporaryFolder
    private var location: StoreLocation { .file(folder.file("store.xml")) }

    init() throws { folder = try TemporaryFolder() }

    private static func info(_ extra: String = "") -> String {
        """
        <databaseInfo><version>134481920</version><UUID>\(identifier)</UUID>\(extra)\
        <nextObjectID>9</nextObjectID><metadata><plist version="1.0"><dict><key>note</key>\
        <string>kept</string></dict></plist></metadata></databaseInfo>
        """
    }

    private func write(_ content: String) throws {
        let text = """
            <?xml version="1.0"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">
            <database>\(content)
            """
        try Data(text.utf8).write(to: folder.file("store.xml"))
    }

    @Test func `is read even if the objects are damaged`() throws {
        try write(Self.info() + "<object type=")

        let metadata = try XMLStore.metadata(at: location)

        #expect(metadata.identifier == Self.identifier)
        #expect(metadata.values["note"] == .string("kept"))
        #expect(throws: StoreError.self) { try XMLStore.entityCounts(at: location) }
    }

    @Test(arguments: [
        "<!-- </databaseInfo> -->", "<!-- a -->", String(repeating: " ", count: 300_000),
    ])
    func `is found whatever it contains`(_ extra: String) throws {
        try write(Self.info(extra) + "<object type=\"A\" id=\"z1\"></object></database>")

        let metadata = try XMLStore.metadata(at: location)

        #expect(metadata.identifier == Self.identifier)
        #expect(try XMLStore.entityCounts(at: location) == ["A": 1])
    }

    @Test func `is found after the objects`() throws {
        try write("<object type=\"A\" id=\"z1\"></object>" + Self.info() + "</database>")

        #expect(try XMLStore.metadata(at: location).identifier == Self.identifier)
        #expect(try XMLStore.entityCounts(at: location) == ["A": 1])
    }

    @Test func `of a truncated file is refused`() throws {
        try write(String(Self.info().dropLast(40)))

        #expect(throws: StoreError.self) { try XMLStore.metadata(at: location) }
    }
}
