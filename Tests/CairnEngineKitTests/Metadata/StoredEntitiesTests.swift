import CairnEngineKit
import CairnModel
import CairnRows
import Testing

@Suite struct `Entities of stored rows` {
    private static func layouts(_ entities: EntityDescription...) throws -> RowLayouts {
        RowLayouts(try ManagedObjectModel(entities))
    }

    private static let song = EntityDescription(
        "Song", [.attribute("title", .string), .toOne("next", "Song")])
    private static let note = EntityDescription("Note", [.attribute("text", .string)])
    private static let changedNote = EntityDescription(
        "Note", [.attribute("size", .integer64), .attribute("text", .string)])

    private static func row(_ name: String, _ layouts: RowLayouts) throws -> Row {
        let entity = try #require(layouts.model.entity(named: name))
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        writer.begin(layouts.layout(of: entity), key: 7, version: 1)
        writer.endRow()
        return writer.takeBatch()[row: 0]
    }

    @Test func `can be read if only other entities have another layout`() throws {
        let old = try Self.layouts(Self.note, Self.song)
        // The numbers of all entities change, too.
        let new = try Self.layouts(EntityDescription("Aaa"), Self.changedNote, Self.song)
        let written = StoredEntities(old)

        let refused = StoredEntities(
            names: written.names, fingerprint: written.fingerprint, readWith: new)
        let read = try #require(
            StoredEntities(
                names: written.names, fingerprint: written.fingerprint, readWith: new,
                layoutFingerprints: written.layoutFingerprints))

        #expect(refused == nil)
        var writer = RowWriter(store: StoreNumber(rawValue: 1))
        try Self.row("Song", old).withBytes { bytes throws(RowDamage) in
            try read.append(bytes, to: &writer)
        }
        #expect(writer.takeBatch()[row: 0].entity == new.model.entity(named: "Song")?.number)
        let damage = try Self.row("Note", old).withBytes { bytes -> RowDamage? in
            do throws(RowDamage) {
                try read.append(bytes, to: &writer)
                return nil
            } catch {
                return error
            }
        }
        #expect(damage == .otherLayout(1))
    }

    @Test func `are not read by fingerprints of other entities`() throws {
        let old = try Self.layouts(Self.note, Self.song)
        let new = try Self.layouts(Self.changedNote, Self.song)
        let written = StoredEntities(old)

        let tooFew = StoredEntities(
            names: written.names, fingerprint: written.fingerprint, readWith: new,
            layoutFingerprints: [1])

        #expect(tooFew == nil)
    }
}
