import CairnModel
import CairnRows
import CairnTestSupport
import Foundation
import Testing

/// Copies values from rows of one layout into slots of another.
@Suite struct `Row transfer` {
    private static let types: [AttributeType] = [
        .boolean, .integer16, .integer32, .integer64, .float, .double, .date, .decimal, .uuid,
        .string, .uri, .binary, .transformable,
    ]

    private static func value(_ type: AttributeType, _ random: inout SeededRandom) -> Value {
        let number = Int64.random(in: 0...30_000, using: &random)
        guard number % 4 != 0 else { return .null }
        let text = String(repeating: "x", count: Int(number % 50))
        return switch type {
        case .boolean: .boolean(number % 2 == 0)
        case .float: .float(Float(number))
        case .double: .double(Double(number))
        case .date: .date(Date(timeIntervalSinceReferenceDate: Double(number)))
        case .decimal: .decimal(Decimal(number))
        case .uuid: .uuid(UUID())
        case .string: .string(text)
        case .uri: URL(string: "file:///\(text)").map(Value.uri) ?? .null
        case .binary: .binary(Data(text.utf8))
        case .transformable: .transformable(Data(text.utf8))
        default: .integer(number)
        }
    }

    /// Returns two versions of an entity. Some attributes exist in only one of them.
    private static func layouts(_ random: inout SeededRandom) throws -> (RowLayout, RowLayout) {
        let all = (0..<Int.random(in: 1...150, using: &random)).map { index in
            PropertyDescription.attribute(
                "a\(100 + index)", types.randomElement(using: &random) ?? .string)
        }
        func layout() throws -> RowLayout {
            let kept = all.filter { _ in Int.random(in: 0..<10, using: &random) > 0 }
            let model = try ManagedObjectModel([EntityDescription("Thing", kept)])
            return try #require(RowLayouts(model).layout(of: EntityNumber(1)))
        }
        return (try layout(), try layout())
    }

    @Test func `produces the same bytes as setting each slot`() throws {
        var random = SeededRandom(seed: SeededRandom.seed(of: "Row transfer"))
        for _ in 0..<200 {
            let (old, new) = try Self.layouts(&random)
            let pairs = new.slots.compactMap { target -> RowTransfer.Pair? in
                old.slot(named: new.properties[Int(target.index)].name).map { ($0, target) }
            }
            var writer = RowWriter(store: StoreNumber(rawValue: 7))
            writer.begin(old, key: 5, version: 2)
            for (property, slot) in zip(old.properties, old.slots) {
                guard case .attribute(let attribute) = property else { continue }
                try writer.set(Self.value(attribute.type, &random), at: slot, of: old)
            }
            writer.endRow()
            let row = writer.takeBatch()[row: 0]

            writer.begin(new, key: 5, version: 2)
            try writer.set(RowTransfer(pairs), from: row)
            writer.endRow()
            writer.begin(new, key: 5, version: 2)
            for (source, target) in pairs { try writer.set(target, from: row, at: source) }
            writer.endRow()

            let rows = writer.takeBatch()
            let bytes = [0, 1].map { rows[row: $0].withBytes { Data($0) } }
            #expect(bytes[0] == bytes[1])
        }
    }
}
