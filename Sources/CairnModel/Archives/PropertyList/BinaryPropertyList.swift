/// A binary property list as a flat table of objects, which is how the format stores it.
///
/// Containers refer to their members by number, so deep or cyclic nesting cannot harm a reader. The UIDs
/// of keyed archives, which Foundation hides on Linux, are available as ``Node/reference(_:)``.
package struct BinaryPropertyList: Sendable, Equatable {
    /// One object of the table. Members of containers are indices of other nodes.
    package enum Node: Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// An integer greater than `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
        /// A date in seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// A UID of a keyed archive, which is an index into its `$objects`.
        case reference(Int)
        /// An array or a set.
        case array([Int])
        /// A dictionary. Both arrays have the same length.
        case dictionary(keys: [Int], values: [Int])
    }

    package var nodes: [Node]
    /// The index of the outermost object.
    package var root: Int

    package init(nodes: [Node], root: Int) {
        self.nodes = nodes
        self.root = root
    }

    /// Reads the binary form, whose header is `bplist0` and one more digit.
    ///
    /// Every offset, count and reference is checked. Objects that overlap are refused, because they would let
    /// a small file expand to a huge table.
    ///
    /// - Throws: `.damaged`, with the offset of the invalid byte.
    package init(_ bytes: [UInt8]) throws(ArchiveError) {
        var reader = try BinaryPropertyListReader(bytes)
        self = try reader.read()
    }

    /// The total number of members of all containers.
    var memberCount: Int {
        nodes.reduce(0) { count, node in
            switch node {
            case .array(let members): count + members.count
            case .dictionary(let keys, let values): count + keys.count + values.count
            default: count
            }
        }
    }

    /// Returns the members of a dictionary by name, or `nil` if the node is not a dictionary.
    ///
    /// If several members have the same name, the first one is returned. Members whose keys are not strings
    /// are left out.
    package func members(of node: Int) -> [String: Int]? {
        guard case .dictionary(let keys, let values) = nodes[node] else { return nil }
        var members: [String: Int] = [:]
        for (key, value) in zip(keys, values) {
            guard case .string(let name) = nodes[key], members[name] == nil else { continue }
            members[name] = value
        }
        return members
    }
}

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
