import CairnModel
import CairnRows
import Foundation
import Testing

@Suite struct `Row values` {
    private static let extremes: [(String, AttributeType, [Value])] = [
        ("boolean", .boolean, [.boolean(true), .boolean(false)]),
        ("int16", .integer16, [.integer(-32768), .integer(0), .integer(32767)]),
        ("int32", .integer32, [.integer(Int64(Int32.min)), .integer(Int64(Int32.max))]),
        ("int64", .integer64, [.integer(.min), .integer(-1), .integer(.max)]),
        (
            "double", .double,
            [
                .double(.nan), .double(-0.0), .double(.infinity), .double(-.infinity),
                .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude),
            ]
        ),
        ("float", .float, [.float(.nan), .float(-0.0), .float(.leastNonzeroMagnitude)]),
        (
            "date", .date,
            [
                .date(.distantPast), .date(.distantFuture),
                .date(Date(timeIntervalSinceReferenceDate: -0.001)),
            ]
        ),
        ("uuid", .uuid, [.uuid(UUID(uuid: UUID_NULL)), .uuid(UUID())]),
        (
            "string", .string,
            ["", "\0", "e\u{301}", "é", "🏳️‍🌈", .string(String(repeating: "ä", count: 70_000))]
        ),
        (
            "binary", .binary,
            [.binary(Data()), .binary(Data([0, 255])), .binary(Data(count: 300_000))]
        ),
        ("transformable", .transformable, [.transformable(Data()), .transformable(Data([1]))]),
    ]

    @Test func `of every kind keep their extremes`() throws {
        let table = try RowFixture(Self.extremes.map { .attribute($0.0, $0.1) })

        for (name, _, values) in Self.extremes {
            for value in values {
                let row = try table.row([name: value])
                #expect(table.value(name, row) == value, "\(name)")
                for (other, _, _) in Self.extremes where other != name {
                    #expect(table.value(other, row) == .null)
                }
            }
        }
    }

    @Test(arguments: [
        "0", "-1", "12345678901234567890123456789012345678", "-0.00000000000000000001",
        "99999999999999999999999999999999999999", "1e120", "5e-128", "-7.50",
        "18446744073709551616",
        "340282366920938463463374607431768211455",
    ])
    func `that are decimals are read as equal values`(text: String) throws {
        let table = try RowFixture([.attribute("price", .decimal)])
        let decimal = try #require(Decimal(string: text))

        let row = try table.row(["price": .decimal(decimal)])

        #expect(table.value("price", row) == .decimal(decimal))
    }

    @Test func `that are unusual decimals are read as equal values`() throws {
        let table = try RowFixture([.attribute("price", .decimal)])
        let odd: [Decimal] = [
            .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude, .pi,
            Decimal(sign: .plus, exponent: 126, significand: 100),
            Decimal(sign: .minus, exponent: 127, significand: 10),
        ]

        for decimal in odd {
            let row = try table.row(["price": .decimal(decimal)])
            #expect(table.value("price", row) == .decimal(decimal), "\(decimal)")
        }
        guard
            case .decimal(let number) = table.value(
                "price", try table.row(["price": .decimal(.nan)]))
        else {
            Issue.record("NaN is a decimal")
            return
        }
        #expect(number.isNaN)
    }

    @Test func `that are decimal zeros have the same bytes`() throws {
        let table = try RowFixture([.attribute("price", .decimal)])
        let zeros: [Decimal] = [
            0, Decimal(sign: .minus, exponent: 0, significand: 0),
            Decimal(sign: .plus, exponent: 20, significand: 0),
        ]

        let rows = try zeros.map { try table.row(["price": .decimal($0)]) }

        #expect(rows.allSatisfy { Row.hasSameBytes($0, rows[0]) })
    }

    @Test func `in more than 64 slots are nil independently`() throws {
        let names = (0..<200).map { "a\(1000 + $0)" }
        let table = try RowFixture(
            names.enumerated().map { .attribute($1, $0 % 3 == 0 ? .string : .integer64) })
        func value(_ index: Int) -> Value {
            index % 3 == 0 ? .string("text \(index)") : .integer(Int64(index))
        }
        let filled = [0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 198, 199]

        let row = try table.row(
            Dictionary(uniqueKeysWithValues: filled.map { (names[$0], value($0)) }))

        for index in names.indices {
            let expected = filled.contains(index) ? value(index) : .null
            #expect(table.value(names[index], row) == expected, "slot \(index)")
        }
    }

    @Test func `that are composites are read completely`() throws {
        let table = try RowFixture([.attribute("any", .integer64)], composite: "place")
        let value: Value = .composite([
            "flag": true, "count": -3, "ratio": 0.5, "float": .float(1.5), "name": "naïve",
            "price": .decimal(try #require(Decimal(string: "-0.5"))),
            "date": .date(.distantPast), "data": .binary(Data([1, 0])), "id": .uuid(UUID()),
            "url": .uri(try #require(URL(string: "https://example.org/?a=b"))),
            "archive": .transformable(Data()), "inner": .composite(["deep": .composite([:])]),
        ])

        let row = try table.row(["place": value])

        #expect(table.value("place", row) == value)
        #expect(
            table.value("place", try table.row(["place": .composite(["gone": .null])]))
                == .composite([:]))
    }

    @Test func `that a composite cannot contain are refused`() throws {
        let table = try RowFixture([.attribute("any", .integer64)], composite: "place")
        let id = ObjectID(store: table.store, rootEntity: .init(1), entity: .init(1), key: 1)
        var deep: Value = 1
        for _ in 0..<100 { deep = .composite(["in": deep]) }

        #expect(throws: RowError.self) {
            try table.row(["place": .composite(["to": .objectID(id)])])
        }
        #expect(throws: RowError.self) { try table.row(["place": deep]) }
    }

    @Test func `stored outside the row are referred to by the row`() throws {
        var blob = AttributeDescription("blob", .binary)
        blob.allowsExternalBinaryDataStorage = true
        let table = try RowFixture([.attribute(blob), .attribute("name", .string)])
        let reference = ExternalReference(store: table.store, name: "A-B-C")
        let slot = try #require(table.layout.slot(named: "blob"))
        var writer = RowWriter(store: table.store)
        writer.begin(table.layout, key: 1, version: 1)
        try writer.set(.reference(reference), at: slot)
        writer.endRow()
        let named = writer.takeBatch()[row: 0]

        #expect(named.externalBinary(slot) == .reference(reference))
        for data in [Data(), Data([2, 65]), Data([1])] {
            let row = try table.row(["blob": .binary(data)])
            #expect(row.externalBinary(slot) == .inline(data))
            #expect(table.value("blob", row) == .binary(data))
        }
    }

    @Test func `are limited to the slots that 16 bits can number`() {
        let many = (0...Int(UInt16.max)).map { PropertyDescription.attribute("a\($0)", .boolean) }

        #expect(throws: ModelError.self) {
            try ManagedObjectModel([EntityDescription("Many", many)])
        }
    }

    @Test func `of a superentity use the first slots of every subentity`() throws {
        let model = try ManagedObjectModel([
            EntityDescription("Base", [.attribute("m", .string), .attribute("z", .integer64)]),
            EntityDescription("Sub", superentity: "Base", [.attribute("a", .integer64)]),
            EntityDescription("SubSub", superentity: "Sub", [.attribute("b", .string)]),
        ])
        let layouts = RowLayouts(model)
        let names = try ["Base", "Sub", "SubSub"].map { name in
            layouts.layout(of: try #require(model.entity(named: name))).properties.map(\.name)
        }

        #expect(names == [["m", "z"], ["m", "z", "a"], ["m", "z", "a", "b"]])
        #expect(layouts.layout(of: EntityNumber(0)) == nil)
        #expect(layouts.layout(of: EntityNumber(4)) == nil)
    }
}

/// An entity and its rows.
struct RowFixture {
    let store = StoreNumber(rawValue: 7)
    let layout: RowLayout

    init(_ properties: [PropertyDescription], composite: String? = nil) throws {
        var description = ModelDescription()
        var properties = properties
        if let composite {
            var attribute = AttributeDescription(composite, .composite)
            attribute.compositeName = "Parts"
            properties.append(.attribute(attribute))
            description.composites = [
                CompositeDescription("Parts", [AttributeDescription("part", .string)])
            ]
        }
        description.entities = [EntityDescription("Thing", properties)]
        let model = try ManagedObjectModel(description)
        layout = RowLayouts(model).layout(of: try #require(model.entity(named: "Thing")))
    }

    func row(_ values: [String: Value], key: Int64 = 1) throws -> Row {
        var writer = RowWriter(store: store)
        try write(values, key: key, to: &writer)
        return writer.takeBatch()[row: 0]
    }

    func write(_ values: [String: Value], key: Int64, to writer: inout RowWriter) throws {
        writer.begin(layout, key: key, version: 1)
        for (property, slot) in zip(layout.properties, layout.slots) {
            try writer.set(values[property.name] ?? .null, at: slot, of: layout)
        }
        writer.endRow()
    }

    func value(_ name: String, _ row: Row) -> Value? {
        layout.slot(named: name).map(row.value)
    }
}

private let UUID_NULL: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
