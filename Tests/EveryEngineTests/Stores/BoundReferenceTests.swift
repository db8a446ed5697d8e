import Cairn
import Foundation
import ServedStoreSupport
import Testing

/// Objects whose reference is the value of an attribute.
@Suite final class `Objects that an attribute identifies`: Sendable {
    private let harness = ServedHarness(ReferredStore.self)
    private let folder = URL(fileURLWithPath: "/cairn-referred-\(UUID().uuidString)")
    private let stack: ReferredStack

    init() throws {
        try harness.setUp(for: folder)
        stack = try ReferredStack("\(folder.lastPathComponent)/bands")
    }

    deinit { try? harness.tearDown(for: folder) }

    /// Saves a band and returns its URI.
    private func save(_ code: String?, _ title: String = "") throws -> URL {
        try stack.inContext { context in
            let band = try context.insert("Band", titled: title)
            try band.setValue(code, forKey: "code")
            try context.save()
            return band.objectID.uriRepresentation()
        }
    }

    private func titles() throws -> [String] {
        try stack.inContext { context in
            try context.fetch(FetchRequest<ManagedObject>("Band")).map { try $0.title() }.sorted()
        }
    }

    /// Returns the description of the error that a body throws, or an empty text.
    private func refusal(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch {
            return "\(error)"
        }
    }

    @Test func `have the attribute's value in their URIs, and are found by it`() throws {
        let uri = try save("sigur rós/1", "Sigur Rós")
        let mirror = try ReferredStack("\(folder.lastPathComponent)/bands", host: "mirror")
        let entity = try #require(mirror.coordinator.managedObjectModel.entity(named: "Band"))

        let found = mirror.store.objectID(
            for: entity, referenceObject: .text("sigur rós/1"))

        #expect(uri.absoluteString.hasSuffix("/Band/psigur%20r%C3%B3s%2F1"))
        #expect(found == (try mirror.id(uri)))
        let title = try mirror.inContext { context in
            try context.object(with: try mirror.id(uri)).title()
        }
        #expect(title == "Sigur Rós")
    }

    @Test func `are not found by their URIs before they are saved`() throws {
        let uris = try stack.inContext { context in
            let band = try context.insert("Band", titled: "")
            try band.setValue("late", forKey: "code")
            try context.obtainPermanentIDs(for: [band])
            let before = band.objectID.uriRepresentation()
            try context.save()
            return [before, band.objectID.uriRepresentation()]
        }

        #expect(stack.coordinator.managedObjectID(forURIRepresentation: uris[0]) == nil)
        #expect(uris[1].lastPathComponent == "plate")
    }

    @Test func `can be saved after a refused save`() throws {
        try stack.inContext { context in
            let band = try context.insert("Band", titled: "first")
            try band.setValue("code", forKey: "code")
            let nameless = try context.insert("Band", titled: "second")
            let first = refusal { try context.save() }
            try nameless.setValue("other", forKey: "code")
            try context.save()

            #expect(first.contains("Band.code") || first.contains("code"))
            #expect(first.contains("cannot be nil"))
        }

        #expect(try titles() == ["first", "second"])
    }

    @Test func `conflict if two of them have the same value`() throws {
        _ = try save("code", "stored")

        let stored = refusal { _ = try save("code") }
        let both = try stack.inContext { context in
            for _ in 0..<2 {
                try context.insert("Band", titled: "").setValue("new", forKey: "code")
            }
            return refusal { try context.save() }
        }

        #expect(stored.contains("Band") && stored.contains("code"))
        #expect(both.contains("Band") && both.contains("code"))
        #expect(try titles() == ["stored"])
        #expect(try save("new").lastPathComponent == "pnew")
    }

    @Test func `keep the value, and no other object may ever have it`() throws {
        let uri = try save("code")

        let changed = try stack.inContext { context in
            let band = try context.object(with: try self.stack.id(uri))
            try band.setValue("other", forKey: "code")
            return refusal { try context.save() }
        }
        try stack.inContext { context in
            try context.delete(try context.object(with: try self.stack.id(uri)))
            try context.save()
        }
        let again = refusal { _ = try save("code") }

        #expect(changed.contains("cannot be changed"))
        #expect(again.contains("was deleted"))
        #expect(!again.contains("“code”"))
        #expect(try titles() == [])
    }
}
