import BenchmarkRows
import Baselines

/// A query that examines every item.
enum RowQuery {
    /// The number of titles that contain a string. With `anyCase`, case is ignored and the string must be in
    /// lower case.
    case titlesContain(String, anyCase: Bool = false)
    /// The number of titles that begin with a string.
    case titlesBegin(String)
    /// The number of titles that begin with one text and end with another.
    case titlesBeginAndEnd(String, String)
    /// The sums of the numbers in each category, in the order of the categories.
    case sums(categories: Int)
    /// The items with the 100 highest prices.
    case highestPrices
    /// The title, number and price of all items.
    case columns
    /// The number of items in folders whose name is greater than or equal to a string.
    case inFolders(from: String)
    /// The number of folders that contain an item with at least the given number.
    case foldersOfNumbers(from: Int)

    /// Asks a baseline for the answer.
    func answer(_ ask: (inout bl_query) throws -> Void) rethrows -> Reading {
        var query = bl_query()
        query.kind = kind
        if case .sums(let categories) = self { query.category_count = Int64(categories) }
        if case .foldersOfNumbers(let number) = self { query.number = Int64(number) }
        let (text, end) = texts
        try text.withCString { text in
            try end.withCString { end in
                (query.text, query.end) = (text, end)
                try ask(&query)
            }
        }
        return Reading(count: Int(query.count), checksum: query.digest)
    }

    private var kind: bl_query_kind {
        switch self {
        case .titlesContain(_, let anyCase):
            anyCase ? bl_query_contains_any_case : bl_query_contains
        case .titlesBegin: bl_query_begins
        case .titlesBeginAndEnd: bl_query_begins_and_ends
        case .sums: bl_query_sums
        case .highestPrices: bl_query_highest
        case .columns: bl_query_columns
        case .inFolders: bl_query_in_folders
        case .foldersOfNumbers: bl_query_folders_of_numbers
        }
    }

    private var texts: (String, String) {
        switch self {
        case .titlesContain(let text, _), .titlesBegin(let text), .inFolders(let text):
            (text, "")
        case .titlesBeginAndEnd(let text, let end): (text, end)
        case .sums, .highestPrices, .columns, .foldersOfNumbers: ("", "")
        }
    }
}
