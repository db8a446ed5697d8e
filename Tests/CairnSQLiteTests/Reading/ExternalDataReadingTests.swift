import CairnModel
import CairnRows
import CairnStore
import Foundation
import Testing

@testable import CairnSQLite

@Suite struct `Values stored outside rows` {
    @Test func `are read from the folder beside the store`() throws {
        let name = UUID().uuidString
        let digits = name.utf8.map { String($0, radix: 16) }.joined()
        let (store, slot) = try Self.store("x'02\(digits)00'")
        let folder = ExternalDataFolder(besideFileAt: store.url.path).url
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data([7, 8, 9]).write(to: folder.appending(path: name))
        let snapshot = try store.snapshot()

        let row = try snapshot.all(FetchPlan(entity: store.entity("Photo"))).batch[row: 0]

        guard case .reference(let reference) = row.externalBinary(slot) else {
            Issue.record("no reference")
            return
        }
        let data = try snapshot.externalData(reference)
        #expect(reference.name == name)
        #expect(data == Data([7, 8, 9]))
    }

    @Test func `are reported as missing, by name, if the file is gone`() throws {
        let (store, _) = try Self.store("NULL")
        let snapshot = try store.snapshot()
        let reference = ExternalReference(store: store.schema.store, name: UUID().uuidString)

        #expect {
            _ = try snapshot.externalData(reference)
        } throws: { error in
            if case StoreError.externalDataMissing(reference, _) = error { true } else { false }
        }
    }

    @Test func `may be stored inside the row nevertheless`() throws {
        let (store, slot) = try Self.store("x'01616263'")

        let row = try store.snapshot().all(FetchPlan(entity: store.entity("Photo"))).batch[row: 0]

        #expect(row.externalBinary(slot) == .inline(Data("abc".utf8)))
    }

    @Test(arguments: ["abc", "\u{1}abc", "\u{2}0E3B0F6C-5B0E-4B0B-9C3B-1F1B7B0B7B0B"])
    func `may be a text, which is never the name of a file`(_ text: String) throws {
        let digits = text.utf8.map { String(Int($0) + 256, radix: 16).dropFirst() }.joined()
        let (store, slot) = try Self.store("CAST(x'\(digits)' AS TEXT)")

        let row = try store.snapshot().all(FetchPlan(entity: store.entity("Photo"))).batch[row: 0]

        #expect(row.externalBinary(slot) == .inline(Data(text.utf8)))
    }

    @Test(arguments: ["x'02'", "x'022e2e2f2e2e2f657463'"])
    func `are reported as damaged if the name is invalid`(_ stored: String) throws {
        let (store, _) = try Self.store(stored)
        let snapshot = try store.snapshot()

        let error = #expect(throws: StoreError.self) {
            _ = try snapshot.all(FetchPlan(entity: store.entity("Photo")))
        }

        guard case .corrupt(_, let location, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(location == "table ZPHOTO, column ZPIXELS, key 1")
    }

    /// Returns a store with one photo whose pixels are stored as given.
    private static func store(_ stored: String) throws -> (ReadStore, RowLayout.Slot) {
        var pixels = AttributeDescription("pixels", .binary)
        pixels.allowsExternalBinaryDataStorage = true
        let model = try ManagedObjectModel([EntityDescription("Photo", [.attribute(pixels)])])
        let store = try ReadStore(creating: model)
        try store.plain.execute("INSERT INTO ZPHOTO VALUES (1, 1, 1, \(stored))")
        let layout = store.layouts.layout(of: store.entity("Photo"))
        return (store, try #require(layout.slot(named: "pixels")))
    }
}
