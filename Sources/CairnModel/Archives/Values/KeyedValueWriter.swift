import Foundation

/// Writes a value as the keyed archive that Foundation would write.
///
/// Strings, numbers and data are plain objects of the property list. As in Apple's archives, all other
/// values are objects with a class.
struct KeyedValueWriter {
    private typealias Node = BinaryPropertyList.Node

    private var builder = KeyedArchiveBuilder()
    /// The object number of each value that is not a container. Equal values share one object.
    private var numbers: [ArchivableValue: Int] = [:]

    static func archive(of value: ArchivableValue) throws(ArchiveError) -> [UInt8] {
        var writer = KeyedValueWriter()
        let root = value == .null ? 0 : try writer.number(of: value, depth: 1)
        return writer.builder.finish(root: root)
    }

    /// Adds a value with its members and returns its object number.
    private mutating func number(
        of value: ArchivableValue, depth: Int
    ) throws(ArchiveError) -> Int {
        guard depth <= ArchivableValue.depthLimit else {
            throw .tooDeep(limit: ArchivableValue.depthLimit)
        }
        switch value {
        case .array(let members):
            return builder.add(list: try numbers(of: members, depth: depth))
        case .set(let members):
            let sorted = try Self.sorted(members)
            return builder.add(list: try numbers(of: sorted, depth: depth), as: "NSSet")
        case .orderedSet(let members):
            var fields: [(String, Node)] = []
            for (index, number) in try numbers(of: members, depth: depth).enumerated() {
                fields.append(("NS.object.\(index)", .reference(number)))
            }
            return builder.add("NSOrderedSet", fields)
        case .dictionary(let entries):
            let keys = try Self.sorted(entries.keys)
            let values = keys.map { entries[$0] ?? .null }
            let keyNumbers = try numbers(of: keys, depth: depth)
            let valueNumbers = try numbers(of: values, depth: depth)
            return builder.add(
                dictionary: zip(keyNumbers, valueNumbers).map { (key: $0, value: $1) })
        default:
            if let known = numbers[value] { return known }
            let number = self.number(ofSimple: value)
            numbers[value] = number
            return number
        }
    }

    private mutating func numbers(
        of members: [ArchivableValue], depth: Int
    ) throws(ArchiveError) -> [Int] {
        var numbers: [Int] = []
        for member in members { numbers.append(try number(of: member, depth: depth + 1)) }
        return numbers
    }

    private mutating func number(ofSimple value: ArchivableValue) -> Int {
        switch value {
        case .boolean(let value): return builder.add(node: .boolean(value))
        case .integer(let value): return builder.add(node: .integer(value))
        case .unsigned(let value): return builder.add(node: .unsigned(value))
        case .real(let value): return builder.add(node: .real(value))
        case .string(let value): return builder.add(node: .string(value))
        case .data(let value): return builder.add(node: .data(Array(value)))
        case .date(let value):
            return builder.add(
                "NSDate", [("NS.time", .real(value.timeIntervalSinceReferenceDate))])
        case .decimal(let value):
            return builder.add(ArchivedDecimal.className, ArchivedDecimal.fields(of: value))
        case .uuid(let value):
            let bytes = withUnsafeBytes(of: value.uuid) { Array($0) }
            return builder.add("NSUUID", [("NS.uuidbytes", .data(bytes))])
        case .url(let value):
            let text = builder.add(node: .string(value.absoluteString))
            return builder.add(
                "NSURL", [("NS.base", .reference(0)), ("NS.relative", .reference(text))])
        case .null, .array, .set, .orderedSet, .dictionary: return builder.add("NSNull", [])
        }
    }

    /// Returns the values in an order that depends only on the values. If all of them are strings, they are
    /// sorted by their UTF-8 bytes. Otherwise, all are sorted by their archives.
    static func sorted(
        _ values: some Collection<ArchivableValue>
    ) throws(ArchiveError) -> [ArchivableValue] {
        let texts = values.compactMap { value in
            if case .string(let text) = value { text } else { nil }
        }
        if texts.count == values.count {
            return texts.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map { .string($0) }
        }
        var keyed: [(archive: [UInt8], value: ArchivableValue)] = []
        for value in values { keyed.append((try archive(of: value), value)) }
        return keyed.sorted { $0.archive.lexicographicallyPrecedes($1.archive) }.map(\.value)
    }
}
