import Foundation
import SwiftData
import Testing

/// A model with structures and enums of all forms.
@Model final class Shapes {
    var name: String
    var size: Size = Size(width: 1, height: 2)
    var maybeSize: Size?
    var loose: Loose = Loose()
    var nested: Nested = Nested(size: Size(width: 3, height: 4), kind: .round)
    var kind: Kind = Kind.round
    var maybeKind: Kind?
    var number: Number = Number.two
    var choice: Choice = Choice.none
    var tree: Tree = Tree.leaf(1)
    var renamed: Renamed = Renamed(value: 1)
    var custom: Custom = Custom(text: "a")
    var mixed: Mixed = Mixed(value: 1)
    var box: Box<[Int]> = Box(content: [1])
    var code: Code = Code(rawValue: "x")
    var flags: Flags = [.first]
    var point: CGPoint = CGPoint(x: 1, y: 2)

    init(_ name: String) { self.name = name }

    struct Size: Codable, Hashable {
        var width: Double
        var height: Float
    }

    /// All values may be missing.
    struct Loose: Codable, Hashable {
        var text: String?
        var date: Date?
    }

    struct Nested: Codable, Hashable {
        var size: Size
        var kind: Kind
        var maybe: Loose?
        var url: URL?
        var sizes: [Size] = []
        var amount: Decimal = 1.5
    }

    enum Kind: String, Codable, CaseIterable, Comparable {
        case round, square

        /// Not the raw value.
        var title: String { rawValue.uppercased() }

        static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    enum Number: UInt8, Codable { case one = 1, two = 250 }

    enum Choice: Codable, Hashable {
        case none
        case text(String)
        case number(value: Int)
        case pair(Int, name: String)
        case size(Size)
        case maybe(Int?)
        case date(Date)
        case list([String])
    }

    indirect enum Tree: Codable, Hashable {
        case leaf(Int)
        case node(Tree, Tree)
        case only(Tree)
    }

    struct Renamed: Codable, Hashable {
        enum CodingKeys: String, CodingKey { case value = "other" }
        var value: Int
    }

    /// Encoded as a single text.
    struct Custom: Codable, Hashable {
        var text: String

        init(text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            text = try decoder.singleValueContainer().decode(String.self)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
    }

    /// Encoded with a key that is no stored property.
    struct Mixed: Codable, Hashable {
        enum CodingKeys: String, CodingKey { case value, version }
        var value: Int

        init(value: Int) { self.value = value }

        init(from decoder: any Decoder) throws {
            value = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .value)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(value, forKey: .value)
            try container.encode(2, forKey: .version)
        }
    }

    struct Box<Content: Codable & Hashable>: Codable, Hashable { var content: Content }

    struct Code: RawRepresentable, Codable, Hashable { var rawValue: String }

    struct Flags: OptionSet, Codable, Hashable {
        var rawValue: Int
        static let first = Flags(rawValue: 1)
        static let second = Flags(rawValue: 2)
    }
}

@Suite struct `Structures and enums` {
    private func roundTrip<Content: Equatable>(
        _ store: StoreKind, _ path: ReferenceWritableKeyPath<Shapes, Content>, _ value: Content
    ) throws {
        try store.withContainer(for: Shapes.self) { container in
            let context = ModelContext(container)
            context.failureHandler = { Issue.record($0) }
            let shapes = Shapes("a")
            context.insert(shapes)
            shapes[keyPath: path] = value
            try context.save()
            let other = ModelContext(container)
            other.failureHandler = { Issue.record($0) }
            let fetched = try #require(try other.all(Shapes.self).first)
            #expect(fetched[keyPath: path] == value)
            // Another change must not fail because of the value.
            fetched.name = "b"
            try other.save()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `have their initial values`(_ store: StoreKind) throws {
        try store.withContainer(for: Shapes.self) { container in
            let context = ModelContext(container)
            context.insert(Shapes("a"))
            try context.save()

            let shapes = try #require(try ModelContext(container).all(Shapes.self).first)

            let new = Shapes("b")
            #expect(shapes.size == new.size && shapes.nested == new.nested)
            #expect(shapes.loose == new.loose && shapes.kind == .round && shapes.number == .two)
            #expect(shapes.choice == .none && shapes.tree == new.tree && shapes.box == new.box)
            #expect(shapes.renamed == new.renamed && shapes.custom == new.custom)
            #expect(shapes.code == new.code && shapes.flags == new.flags)
            #expect(shapes.maybeSize == nil && shapes.maybeKind == nil)
        }
    }

    @Test(
        arguments: StoreKind.allCases,
        [
            Shapes.Choice.none, .text(""), .text("a"), .number(value: -1), .pair(1, name: "b"),
            .size(.init(width: 1, height: 2)), .maybe(nil), .maybe(3), .list(["a"]),
            .date(Date(timeIntervalSinceReferenceDate: 0.5)),
        ])
    func `with associated values keep each case`(
        _ store: StoreKind, _ choice: Shapes.Choice
    ) throws { try roundTrip(store, \.choice, choice) }

    @Test(arguments: StoreKind.allCases)
    func `may contain themselves`(_ store: StoreKind) throws {
        try roundTrip(store, \.tree, .node(.leaf(1), .only(.leaf(2))))
        try roundTrip(store, \.tree, .only(.node(.leaf(1), .leaf(2))))
    }

    @Test(arguments: StoreKind.allCases)
    func `may contain structures, enums and lists`(_ store: StoreKind) throws {
        var nested = Shapes.Nested(size: .init(width: 0, height: -1), kind: .square)
        nested.maybe = .init(text: "a")
        nested.url = URL(string: "https://example.com")
        nested.sizes = [nested.size]
        try roundTrip(store, \.nested, nested)
    }

    @Test(arguments: StoreKind.allCases)
    func `may have no values at all`(_ store: StoreKind) throws {
        try roundTrip(store, \.loose, .init())
        try roundTrip(store, \.loose, .init(text: "", date: .distantPast))
        try roundTrip(store, \.maybeSize, .init(width: 0, height: 0))
        try roundTrip(store, \.maybeSize, nil)
    }

    @Test(arguments: StoreKind.allCases)
    func `that encode themselves in their own way keep their values`(_ store: StoreKind) throws {
        try roundTrip(store, \.renamed, .init(value: 7))
        try roundTrip(store, \.custom, .init(text: "b"))
        try roundTrip(store, \.mixed, .init(value: 8))
        try roundTrip(store, \.box, .init(content: [1, 2]))
        try roundTrip(store, \.code, .init(rawValue: "y"))
        try roundTrip(store, \.flags, [.first, .second])
        try roundTrip(store, \.point, CGPoint(x: 3, y: 4))
    }

    @Test(arguments: StoreKind.allCases)
    func `that are optional can be removed`(_ store: StoreKind) throws {
        try store.withContainer(for: Shapes.self) { container in
            let context = ModelContext(container)
            let shapes = Shapes("a")
            shapes.maybeKind = .square
            shapes.maybeSize = shapes.size
            context.insert(shapes)
            try context.save()
            shapes.maybeKind = nil
            shapes.maybeSize = nil
            try context.save()

            let fetched = try #require(try ModelContext(container).all(Shapes.self).first)

            #expect(fetched.maybeKind == nil && fetched.maybeSize == nil)
        }
    }

    /// Returns the names of the stored models that match.
    private func names(
        _ store: StoreKind, _ sorts: SortDescriptor<Shapes>..., where predicate: Predicate<Shapes>
    ) throws -> [String] {
        try store.withContainer(for: Shapes.self) { container in
            let context = ModelContext(container)
            for (index, kind) in [Shapes.Kind.square, .round, .square].enumerated() {
                let shapes = Shapes("\(index)")
                shapes.kind = kind
                shapes.maybeKind = index == 0 ? nil : kind
                shapes.size.width = Double(index)
                shapes.nested.kind = kind
                shapes.nested.size.width = Double(index)
                shapes.maybeSize = index == 1 ? nil : shapes.size
                context.insert(shapes)
            }
            try context.save()
            return try ModelContext(container).fetch(
                FetchDescriptor(
                    predicate: predicate,
                    sortBy: sorts.isEmpty ? [SortDescriptor(\.name)] : sorts)
            ).map(\.name)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `are compared in predicates`(_ store: StoreKind) throws {
        let square = Shapes.Kind.square
        #expect(try names(store, where: #Predicate { $0.kind == square }) == ["0", "2"])
        #expect(try names(store, where: #Predicate { $0.kind != square }) == ["1"])
        #expect(try names(store, where: #Predicate { $0.maybeKind == square }) == ["2"])
        #expect(try names(store, where: #Predicate { $0.maybeKind == nil }) == ["0"])
        #expect(try names(store, where: #Predicate { $0.kind.rawValue == "round" }) == ["1"])
        #expect(try names(store, where: #Predicate { [square].contains($0.kind) }) == ["0", "2"])
        #expect(try names(store, where: #Predicate { $0.maybeSize == nil }) == ["1"])
    }

    @Test(arguments: StoreKind.allCases)
    func `are compared by their members`(_ store: StoreKind) throws {
        let square = Shapes.Kind.square
        #expect(try names(store, where: #Predicate { $0.size.width > 0.5 }) == ["1", "2"])
        #expect(try names(store, where: #Predicate { $0.maybeSize?.width == 2 }) == ["2"])
        #expect(try names(store, where: #Predicate { $0.nested.size.width == 1 }) == ["1"])
        #expect(try names(store, where: #Predicate { $0.nested.kind == square }) == ["0", "2"])
    }

    @Test(arguments: StoreKind.allCases)
    func `are refused in a predicate as a whole, and by what is not stored`(_ store: StoreKind)
        throws
    {
        #expect(throws: (any Error).self) {
            try names(store, where: #Predicate { $0.kind.title == "ROUND" })
        }
        let size = Shapes.Size(width: 2, height: 2)
        #expect(throws: (any Error).self) {
            try names(store, where: #Predicate { $0.size == size })
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `with raw values order models`(_ store: StoreKind) throws {
        let sorts = [SortDescriptor(\Shapes.kind), SortDescriptor(\Shapes.name, order: .reverse)]
        #expect(
            try names(store, sorts[0], sorts[1], where: #Predicate { _ in true })
                == ["1", "2", "0"])
    }

    @Test(arguments: StoreKind.allCases)
    func `order models by their members`(_ store: StoreKind) throws {
        let sort = SortDescriptor(\Shapes.nested.size.width, order: .reverse)
        #expect(try names(store, sort, where: #Predicate { _ in true }) == ["2", "1", "0"])
    }
}
