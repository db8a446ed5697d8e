import Cairn
import Foundation
import GraphSupport
import Testing

@Suite struct `Derived values of objects` {
    private static func stack(_ type: StoreType) throws -> StudioStack {
        func derived(
            _ name: String, _ type: AttributeType, _ expression: String
        ) -> PropertyDescription {
            var attribute = AttributeDescription(name, type)
            attribute.derivation = Derivation(expression: expression)
            return .attribute(attribute)
        }
        return try StudioStack(
            type,
            [
                EntityDescription(
                    "Album",
                    [
                        .attribute("title", .string),
                        derived("search", .string, "canonical:(title)"),
                        derived("trackCount", .integer64, "tracks.@count"),
                        .toMany("tracks", "Track", inverse: "album"),
                    ]),
                EntityDescription("Track", [.toOne("album", "Album", inverse: "tracks")]),
            ])
    }

    @Test(arguments: everyEngine)
    func `are available after the save`(_ type: StoreType) throws {
        try Self.stack(type).inContext { context in
            let album = try context.insert("Album", ["title": "Café"])
            try context.save()
            let new = try album["search"]
            try album.setValue("ÉTÉ", forKey: "title")
            try context.save()

            #expect(new == "cafe")
            #expect(try album["search"] == "ete")
            #expect(try album["trackCount"] == 0)
            #expect(!album.hasChanges)
        }
    }

    @Test(arguments: everyEngine)
    func `of objects outside the save are available too`(_ type: StoreType) throws {
        try Self.stack(type).inContext { context in
            let album = try context.insert("Album", ["title": "Blue"])
            try context.save()
            let version = album.rowVersion
            for _ in 0..<3 {
                try context.insert("Track").setValue(album, forKey: "album")
            }
            try context.save()

            #expect(try album["trackCount"] == 3)
            #expect(album.rowVersion == version)
        }
    }
}
