import Cairn
import Foundation
import GraphSupport
import Testing

/// Functions of the program that predicates call by their names.
@Suite struct `A function of the program` {
    /// Registers a function that returns the last digits of a text as a number.
    private static func registerNumber() throws {
        try ProgramFunction.register("numberAtEnd", returning: .integer64) { values in
            guard case .string(let text)? = values.first else { return .null }
            return Int64(text.drop { !$0.isNumber }).map(Value.integer) ?? .null
        }
    }

    private static func stack(_ type: StoreType) throws -> ItemStack {
        let stack = try ItemStack(type)
        try stack.inContext { context in
            for number in 0..<20 {
                let item = try insert("item \(number)", in: context)
                try item.setValue(Int64(number % 3), forKey: "a")
            }
            _ = try insert("none", in: context)
            try context.save()
        }
        return stack
    }

    private static func insert(
        _ name: String, in context: ManagedObjectContext
    ) throws -> ManagedObject {
        let item = try context.insertNewObject(forEntityName: "Item")
        try item.setValue(name, forKey: "name")
        return item
    }

    private static func names(
        _ format: String, in context: ManagedObjectContext
    ) throws -> [String] {
        let found = try context.fetch(FetchRequest<ManagedObject>("Item", where: format))
        return try found.map { try $0.value(forKey: "name") as? String ?? "" }.sorted()
    }

    @Test(arguments: everyEngine)
    func `selects the same objects on every engine`(_ type: StoreType) throws {
        try Self.registerNumber()
        try ProgramFunction.register("of:plus:", returning: .double) { values in
            guard case .integer(let a)? = values.first, case .integer(let b)? = values.last else {
                return .null
            }
            return .integer(a + b)
        }
        try Self.stack(type).inContext { context in
            #expect(
                try Self.names("numberAtEnd(name) >= 18", in: context) == ["item 18", "item 19"])
            #expect(try Self.names("numberAtEnd(name) == nil", in: context) == ["none"])
            #expect(
                try Self.names("a == 1 AND NOT numberAtEnd(name) < 16", in: context)
                    == ["item 16", "item 19"])
            #expect(try Self.names("numberAtEnd(name) + 1 == 8", in: context) == ["item 7"])
            #expect(
                try Self.names("FUNCTION(a, 'of:plus:', 10) == 12", in: context).count == 6)
            // Unsaved objects are tested, too.
            _ = try Self.insert("item 21", in: context)
            #expect(try Self.names("numberAtEnd(name) > 19", in: context) == ["item 21"])
        }
    }

    @Test(arguments: everyEngine)
    func `is evaluated in memory, which an explanation says`(_ type: StoreType) throws {
        try Self.registerNumber()
        let stack = try Self.stack(type)
        let explanations = try stack.inContext { context in
            try context.explain(
                FetchRequest<ManagedObject>("Item", where: "a == 1 AND numberAtEnd(name) == 7")
            ).map { ("\($0)", $0.matchCount) }
        }

        let (text, count) = try #require(explanations.first)
        #expect(count == 1)
        #expect(text.contains("numberAtEnd(name)"), "\(text)")
        if type == .sqlite {
            #expect(
                text.contains("numberAtEnd(…) is a function of the program, evaluated in memory"),
                "\(text)")
        }
    }

    @Test(arguments: everyEngine)
    func `computes values of dictionaries, and is in the text of a coded request`(
        _ type: StoreType
    ) throws {
        try Self.registerNumber()
        var request = try FetchRequest<ManagedObject>("Item", where: "numberAtEnd(name) < 3")
        request.propertiesToFetch = [
            .expression(try ExpressionDescription("number", format: "numberAtEnd(name) * 2"))
        ]
        let coded = try JSONDecoder().decode(
            FetchRequest<ManagedObject>.self, from: JSONEncoder().encode(request))
        #expect(coded.predicate == request.predicate)
        let numbers = try Self.stack(type).inContext { [request] context in
            try context.fetchDictionaries(request).map(\.["number"])
        }

        #expect(Set(numbers) == [.integer(0), .integer(2), .integer(4)])
    }

    @Test func `has nil for a result of another type`() throws {
        try ProgramFunction.register("wrong", returning: .integer16) { _ in .string("text") }
        try ProgramFunction.register("tooLarge", returning: .integer16) { _ in .integer(100_000) }
        let found = try Self.stack(.sqlite).inContext { context in
            try Self.names("wrong(name) == nil AND tooLarge() == nil", in: context).count
        }

        #expect(found == 21)
    }

    @Test func `that nobody registered is an error, which names those that are`() throws {
        try Self.registerNumber()
        try Self.stack(.inMemory).inContext { context in
            let error = #expect(throws: GraphError.self) {
                try Self.names("unheardOf(name) == 1", in: context)
            }
            #expect(error?.description.contains("numberAtEnd") == true)
        }
    }

    @Test(arguments: [
        "abs:", "abs", "cast", "Subquery", "any", "now", "two words", "", "a.b", "1st",
    ])
    func `needs a name that has no meaning yet`(_ name: String) {
        #expect(throws: FetchPredicateError.self) {
            try ProgramFunction.register(name, returning: .string) { _ in .null }
        }
    }

    @Test(arguments: [AttributeType.objectID, .composite, .undefined])
    func `has results that can be compared`(_ type: AttributeType) {
        #expect(throws: FetchPredicateError.self) {
            try ProgramFunction.register("object", returning: type) { _ in .null }
        }
    }

    @Test func `may be called cost, although CAST is similar`() throws {
        try ProgramFunction.register("cost", returning: .integer64) { _ in .integer(1) }
        let found = try Self.stack(.inMemory).inContext { context in
            try Self.names("cost(name) == 1", in: context).count
        }

        #expect(found == 21)
    }

    @Test func `does not derive stored values, which other programs could not`() throws {
        try Self.registerNumber()
        var number = AttributeDescription("number", .integer64)
        number.derivation = Derivation(expression: "numberAtEnd(name) + 1")

        let error = #expect(throws: (any Error).self) {
            try ManagedObjectModel([
                EntityDescription("Note", [.attribute("name", .string), .attribute(number)])
            ])
        }
        #expect(error.map { "\($0)" }?.contains("which others that save may not have") == true)
    }
}
