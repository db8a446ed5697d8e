import CairnModel
import CairnStore
import Foundation
import Testing

@Suite struct `A model that does not fit a store` {
    private static let location = StoreLocation.file(URL(fileURLWithPath: "/tmp/Library.sqlite"))
    private static let old = EntityDescription("Book", [.attribute("title", .string)])
    private static let new: EntityDescription = {
        var name = AttributeDescription("name", .string)
        name.renamingIdentifier = "title"
        return EntityDescription("Book", [.attribute("isbn", .string), .attribute(name)])
    }()

    /// Returns the message of the error with which opening a store of one model with another model fails.
    private static func message(
        stored: EntityDescription, model: EntityDescription, keepsModel: Bool = true
    ) throws -> String {
        let inside = try ManagedObjectModel([stored])
        let request = OpenRequest(location: location, model: try ManagedObjectModel([model]))
        let check = CompatibilityCheck(
            request: request, stored: inside.entityVersionHashes,
            cachedModel: keepsModel ? inside.description : nil)
        do throws(StoreError) {
            try check.run()
            return ""
        } catch {
            return error.description
        }
    }

    @Test func `causes an error that describes the changes instead of two hashes`() throws {
        let message = try Self.message(stored: Self.old, model: Self.new)

        #expect(
            message.contains(
                "Book: attribute isbn was added; attribute title was renamed to name"))
        #expect(!message.contains("version hash"))
        #expect(message.contains("migrate it"))
    }

    @Test func `causes an error with the hashes if the store contains no model`() throws {
        let message = try Self.message(stored: Self.old, model: Self.new, keepsModel: false)

        #expect(message.contains("Book: its definition in the store differs"))
        #expect(message.contains("version hash"))
    }

    @Test func `causes an error that says how to continue if the store is newer`() throws {
        let message = try Self.message(stored: Self.new, model: Self.old)

        #expect(message.contains("attribute isbn was removed"))
        #expect(message.contains("as if a newer version of the program had written it"))
        #expect(message.contains("open the store with the model inside it"))
    }

    @Test func `causes an error that mentions a renamed entity once`() throws {
        var novel = Self.old
        novel.name = "Novel"
        novel.renamingIdentifier = "Book"

        let message = try Self.message(stored: Self.old, model: novel)

        #expect(message.components(separatedBy: "Book was renamed to Novel").count == 2)
    }
}
