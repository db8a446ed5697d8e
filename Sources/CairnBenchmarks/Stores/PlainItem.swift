import Foundation

/// An item as a plain Swift class: shows the cost of reading a value without a framework, and serves as a
/// control without I/O.
package final class PlainItem {
    package let key: Int64
    package let folder: Int64
    package var number: Int64
    package var category: Int64
    package var price: Double
    package var rating: Double
    package var active: Bool
    package var created: Date
    package var name: String
    package var title: String
    package var code: String
    package var note: String?

    init(_ values: ItemValues, key: Int64, folder: Int64) {
        self.key = key
        self.folder = folder
        number = values.number
        category = values.category
        price = values.price
        rating = values.rating
        active = values.active
        created = values.created
        name = values.name
        title = values.title
        code = values.code
        note = values.note
    }

    package var digest: UInt64 {
        ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: created, name: name, title: title, code: code, note: note
        ).digest(key: key, folder: folder, version: 1)
    }

    /// Returns an object for each item, in the order of their keys.
    package static func all(_ values: [ItemValues]) -> [PlainItem] {
        values.enumerated().map { index, value in
            PlainItem(
                value, key: Int64(index) + 1,
                folder: Int64(ItemValues.folderIndex(at: index, of: values.count)) + 1)
        }
    }
}
