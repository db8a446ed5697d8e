import Cairn
import Foundation
import GraphSupport
import Testing

/// A pattern that takes too many steps on a value has the same outcome on every engine and in memory.
@Suite struct `Patterns that take too many steps` {
    private static let pattern = "(.|.)*(.|.)*Q"
    private static let letters = String(repeating: "a", count: 40)
    private static let limit = FetchPredicateError.matchingLimit(
        pattern: pattern, stepLimit: 2_004_000)

    /// Returns the predicate error that the body throws.
    private static func predicateError(of body: () throws -> Void) -> FetchPredicateError? {
        do {
            try body()
        } catch GraphError.predicate(let error) {
            return error
        } catch {
            Issue.record("another error: \(error)")
        }
        return nil
    }

    @Test(arguments: everyEngine)
    func `end a fetch and a count with an error`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        try stack.inContext { context in
            for name in ["short", Self.letters, "ending with Q"] {
                _ = try context.insert("Genre", ["name": name])
            }
            try context.save()
        }

        try stack.inContext { context in
            let plain = try FetchRequest<ManagedObject>(
                "Genre", where: "name MATCHES %@", Self.pattern)
            let folded = try FetchRequest<ManagedObject>(
                "Genre", where: "NOT name MATCHES[c] %@", Self.pattern)
            let ofFetch = Self.predicateError { _ = try context.fetch(plain).count }
            let ofCount = Self.predicateError { _ = try context.count(for: folded) }

            #expect(ofFetch == Self.limit)
            #expect(ofCount == Self.limit)

            // The context and the store can still be used.
            let request = try FetchRequest<ManagedObject>(
                "Genre", where: "name != %@ AND name MATCHES %@", Self.letters, ".*Q")
            _ = try context.insert("Genre", ["name": "another"])
            try context.save()
            #expect(try context.fetch(request).map { try $0["name"] } == ["ending with Q"])
            #expect(try context.count(for: FetchRequest<ManagedObject>("Genre")) == 4)
        }
    }

    @Test func `end a fetch over unsaved objects with the same error`() throws {
        let stack = try GraphStack(.inMemory)

        try stack.inContext { context in
            _ = try context.insert("Genre", ["name": Self.letters])
            let request = try FetchRequest<ManagedObject>(
                "Genre", where: "name MATCHES %@", Self.pattern)

            #expect(Self.predicateError { _ = try context.fetch(request).count } == Self.limit)
        }
    }

    @Test(arguments: everyEngine)
    func `of LIKE end a fetch, too`(_ type: StoreType) throws {
        let stack = try GraphStack(type)
        let source = "*" + String(repeating: "a", count: 10_000) + "b"
        try stack.inContext { context in
            _ = try context.insert("Genre", ["name": String(repeating: "a", count: 20_000)])
            try context.save()
        }

        try stack.inContext { context in
            let request = try FetchRequest<ManagedObject>("Genre", where: "name LIKE %@", source)
            let error = Self.predicateError { _ = try context.fetch(request).count }

            #expect(error == .matchingLimit(pattern: source, stepLimit: 4_000_000))
        }
    }
}
