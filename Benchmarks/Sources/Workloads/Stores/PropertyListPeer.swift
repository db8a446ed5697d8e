import BenchmarkRows
import Foundation

/// Foundation's coders, with which a program without a store might keep its values in a file.
struct PropertyListPeer {
    private let url: URL

    /// Writes all items as a binary property list.
    ///
    /// - Throws: The error of the encoder.
    init(_ setting: Setting) throws {
        let values = setting.shelf.values(setting.size)
        url = try setting.shelf.template("items-\(setting.size)-plist") { url in
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .binary
            let items = values.enumerated().map { index, value in
                CodableItem(
                    value, id: Int64(index) + 1,
                    folder: Int64(ItemValues.folderIndex(at: index, of: values.count)) + 1)
            }
            try encoder.encode(items).write(to: url)
        }
    }

    /// Returns a contender that reads the file and creates a struct for each item.
    func loading() -> Contender {
        Contender("PropertyListDecoder", .peer) { [url] in
            var watch = Stopwatch()
            let items = try watch.time {
                try PropertyListDecoder().decode(
                    [CodableItem].self, from: try Data(contentsOf: url))
            }
            return Sample(watch, rows: items)
        }
    }
}

extension CodableItem {
    init(_ values: ItemValues, id: Int64, folder: Int64) {
        self.init(
            id: id, version: 1, active: values.active, category: values.category, folder: folder,
            number: values.number, created: values.created.timeIntervalSinceReferenceDate,
            price: values.price, rating: values.rating, code: values.code, name: values.name,
            note: values.note, title: values.title)
    }
}
