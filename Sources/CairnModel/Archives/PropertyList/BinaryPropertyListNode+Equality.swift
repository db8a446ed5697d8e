/// Two nodes are equal only if they are written as the same bytes, because equal nodes are written once.
/// Strings are therefore compared by their UTF-8 bytes, and real numbers by their bit patterns.
extension BinaryPropertyList.Node: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.boolean(let a), .boolean(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.unsigned(let a), .unsigned(let b)): a == b
        case (.real(let a), .real(let b)), (.date(let a), .date(let b)):
            a.bitPattern == b.bitPattern
        case (.data(let a), .data(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.reference(let a), .reference(let b)): a == b
        case (.array(let a), .array(let b)): a == b
        case (.dictionary(let a, let values), .dictionary(let b, let others)):
            a == b && values == others
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .unsigned(let value): hasher.combine(value)
        case .real(let value), .date(let value): hasher.combine(value.bitPattern)
        case .data(let value): hasher.combine(value)
        case .string(var value):
            value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        case .reference(let value): hasher.combine(value)
        case .array(let members): hasher.combine(members)
        case .dictionary(let keys, let values):
            hasher.combine(keys)
            hasher.combine(values)
        }
    }
}
