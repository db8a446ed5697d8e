import CairnModel

/// A dictionary of a fetch: values by name.
///
/// The dictionaries of a fetch share their names, and a thousand of them share one allocation. A `Dictionary` for
/// each would take more time than reading the row. ``dictionary`` makes one.
public struct DictionaryRow: Sendable, Equatable {
    /// The names of the values, each once.
    final class Columns: Sendable {
        let names: [String]
        /// The indices by name, or `nil` for few names, among which a search is faster.
        private let indices: [String: Int]?

        init(_ names: [String]) {
            self.names = names
            indices =
                names.count > 8
                ? Dictionary(zip(names, names.indices), uniquingKeysWith: { $1 }) : nil
        }

        func index(of name: String) -> Int? {
            if let indices { return indices[name] }
            return names.firstIndex(of: name)
        }
    }

    /// The values of consecutive dictionaries.
    final class Block: Sendable {
        let columns: Columns
        let values: ContiguousArray<Value>

        init(_ columns: Columns, _ values: ContiguousArray<Value>) {
            self.columns = columns
            self.values = values
        }

        func addRows(to rows: inout [DictionaryRow]) {
            for first in stride(from: 0, to: values.count, by: max(1, columns.names.count)) {
                rows.append(DictionaryRow(block: self, first: first))
            }
        }
    }

    /// Where the values are. A type of its own, whose equality and description are those of a dictionary.
    struct Content: Sendable, Equatable, CustomStringConvertible {
        fileprivate let block: Block
        /// The index of the first value in the block.
        fileprivate let first: Int

        fileprivate var dictionary: [String: Value] {
            var dictionary: [String: Value] = [:]
            for (name, value) in zip(block.columns.names, block.values[first...])
            where !value.isNull {
                dictionary[name] = value
            }
            return dictionary
        }

        var description: String { "\(dictionary)" }

        static func == (left: Content, right: Content) -> Bool {
            left.dictionary == right.dictionary
        }
    }

    private let content: Content

    fileprivate init(block: Block, first: Int) { content = Content(block: block, first: first) }

    /// The value with a name. `nil` if the value is `nil`, and for a name that the fetch did not ask for.
    public subscript(name: String) -> Value? {
        guard let column = content.block.columns.index(of: name) else { return nil }
        let value = content.block.values[content.first + column]
        return value.isNull ? nil : value
    }

    /// All values by name, without those that are `nil`.
    public var dictionary: [String: Value] { content.dictionary }
}
