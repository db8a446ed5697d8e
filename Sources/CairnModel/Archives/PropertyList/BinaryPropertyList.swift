/// A binary property list as the flat table of objects that the format is.
///
/// Containers name their members by number, so neither depth nor cycles can hurt a reader, and the
/// UIDs of keyed archives, which Foundation hides on Linux, are there as ``Node/reference(_:)``.
package struct BinaryPropertyList: Sendable, Equatable {
    /// One object. Members of containers are numbers of other nodes.
    package enum Node: Sendable {
        case null
        case boolean(Bool)
        case integer(Int64)
        /// An integer beyond `Int64.max`.
        case unsigned(UInt64)
        case real(Double)
        /// Seconds since 2001-01-01 00:00 UTC.
        case date(Double)
        case data([UInt8])
        case string(String)
        /// A UID of a keyed archive, which is an index in its `$objects`.
        case reference(Int)
        /// An array or a set.
        case array([Int])
        /// Two arrays of one length.
        case dictionary(keys: [Int], values: [Int])
    }

    package var nodes: [Node]
    /// Number of the outermost object.
    package var root: Int

    package init(nodes: [Node], root: Int) {
        self.nodes = nodes
        self.root = root
    }

    /// Reads the `bplist0x` form.
    ///
    /// Every offset, count and reference is checked. Objects that overlap, of which a small file
    /// could unfold a huge table, are refused.
    ///
    /// - Throws: `.damaged`, with the offset of the byte that is wrong.
    package init(_ bytes: [UInt8]) throws(ArchiveError) {
        var reader = try BinaryPropertyListReader(bytes)
        self = try reader.read()
    }

    /// How many members all containers have together.
    var memberCount: Int {
        nodes.reduce(0) { count, node in
            switch node {
            case .array(let members): count + members.count
            case .dictionary(let keys, let values): count + keys.count + values.count
            default: count
            }
        }
    }

    /// Returns the members of a dictionary by name. If several members have the same name, the first
    /// counts. Returns `nil` if the node is not a dictionary. Members whose key is not a string are
    /// left out.
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
