import Cairn
import Foundation

/// Values for an attribute of a fixture, beginning with the best. They respect ranges and lengths, but other
/// rules of the model may refuse some of them.
struct FixtureCandidates {
    /// The maximum number of object numbers that are tried if a rule refuses the value of the first.
    private static let attempts = 100

    private let name: String
    private let type: AttributeType
    private let bounds: FixtureBounds
    private let number: Int
    private let composite: CompositeDescription?
    private let model: ManagedObjectModel

    /// - Parameter number: the number of the object, which makes its values differ from those of other
    ///   objects.
    init(_ attribute: Attribute, number: Int) {
        self.init(attribute.description, attribute.entity.model, number: number)
    }

    private init(_ description: AttributeDescription, _ model: ManagedObjectModel, number: Int) {
        name = description.name
        type = description.type
        bounds = FixtureBounds(description)
        composite = description.compositeName.flatMap { model.composite(named: $0) }
        self.number = number
        self.model = model
    }

    /// The candidates. Empty for a type whose values only the test can create.
    var values: [Value] {
        switch type {
        case .integer16, .integer32, .integer64: numbers.map(bounds.integer)
        case .double: numbers.map { .double(bounds.real($0)) }
        case .float: numbers.map { .float(Float(bounds.real($0))) }
        case .decimal: numbers.map { .decimal(bounds.decimal($0)) }
        case .date:
            numbers.map { .date(Date(timeIntervalSinceReferenceDate: bounds.real($0))) }
        case .boolean: number.isMultiple(of: 2) ? [true, false] : [false, true]
        case .string:
            FixtureTexts(name: name, number: number, lengths: bounds.lengths).all.map(Value.string)
        case .binary:
            FixtureTexts(name: name, number: number, lengths: bounds.lengths).all
                .map { .binary(Data($0.utf8)) }
        case .uuid: [.uuid(uuid)]
        case .uri:
            URL(string: "https://example.com/\(number)").map { [.uri($0)] } ?? []
        case .composite: composite.flatMap(elements).map { [.composite($0)] } ?? []
        case .undefined, .transformable, .objectID: []
        }
    }

    private var numbers: Range<Int> { number..<(number + Self.attempts) }

    /// A UUID of version 4 that ends with the number.
    private var uuid: UUID {
        let n = withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).bigEndian) { Array($0) }
        return UUID(
            uuid: (
                0, 0, 0, 0, 0, 0, 0x40, 0, 0x80 | n[0] & 0x3f, n[1], n[2], n[3], n[4], n[5], n[6],
                n[7]
            ))
    }

    /// Returns a composite with the required elements and the elements with a default, or `nil` if one of
    /// these has no candidate.
    private func elements(of composite: CompositeDescription) -> [String: Value]? {
        var elements: [String: Value] = [:]
        for element in composite.elements {
            if !element.defaultValue.isNull {
                elements[element.name] = element.defaultValue
            } else if !element.isOptional {
                let candidates = FixtureCandidates(element, model, number: number)
                guard let value = candidates.values.first else { return nil }
                elements[element.name] = value
            }
        }
        return elements
    }
}
