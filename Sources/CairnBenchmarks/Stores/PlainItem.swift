import Foundation

/// An item as a plain Swift class: shows the cost of reading a value without a framework, and serves as a
/// control without I/O.
final class PlainItem {
    let key: Int64
    let folder: Int64
    var number: Int64
    var category: Int64
    var price: Double
    var rating: Double
    var active: Bool
    var created: Date
    var name: String
    var title: String
    var code: String
    var note: String?

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

    var digest: UInt64 {
        ItemValues(
            number: number, category: category, price: price, rating: rating, active: active,
            created: created, name: name, title: title, code: code, note: note
        ).digest(key: key, folder: folder, version: 1)
    }

    /// Returns an object for each item, in the order of their keys.
    static func all(_ values: [ItemValues]) -> [PlainItem] {
        values.enumerated().map { index, value in
            PlainItem(
                value, key: Int64(index) + 1,
                folder: Int64(ItemValues.folderIndex(at: index, of: values.count)) + 1)
        }
    }
}
