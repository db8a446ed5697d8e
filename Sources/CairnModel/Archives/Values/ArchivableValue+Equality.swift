import Foundation

extension ArchivableValue: Hashable {
    /// Returns whether both values are stored as the same bytes. Values of different cases are never equal.
    public static func == (left: ArchivableValue, right: ArchivableValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        case (.real(let a), .real(let b)): a.bitPattern == b.bitPattern
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.date(let a), .date(let b)):
            a.timeIntervalSinceReferenceDate.bitPattern
                == b.timeIntervalSinceReferenceDate.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.uuid(let a), .uuid(let b)): a == b
        case (.url(let a), .url(let b)):
            a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
        case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)): a == b
        case (.set(let a), .set(let b)): a == b
        case (.dictionary(let a), .dictionary(let b)): a == b
        default: false
        }
    }

    /// Hashes the same parts that `==` compares.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value): hasher.combine(value.bitPattern)
        case .decimal(let value): hasher.combine(value.isNaN ? 0 : value)
        case .string(var value):
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .date(let value): hasher.combine(value.timeIntervalSinceReferenceDate.bitPattern)
        case .data(let value): hasher.combine(value)
        case .uuid(let value): hasher.combine(value)
        case .url(let value): hasher.combine(value.absoluteString)
        case .array(let value), .orderedSet(let value): hasher.combine(value)
        case .set(let value): hasher.combine(value)
        case .dictionary(let value): hasher.combine(value)
        }
    }
}

extension ArchivableValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Creates a string from a literal such as `"text"`.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates an integer from a literal such as `1`.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// Creates a Boolean from `true` or `false`.
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
    /// Creates a floating-point number from a literal such as `1.5`.
    public init(floatLiteral value: Double) { self = .real(value) }
    /// Creates an array from a literal such as `[1, 2]`.
    public init(arrayLiteral elements: ArchivableValue...) { self = .array(elements) }
    /// Creates a dictionary from a literal such as `["name": "value"]`. If keys are equal, the last one wins.
    public init(dictionaryLiteral elements: (ArchivableValue, ArchivableValue)...) {
        self = .dictionary(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
