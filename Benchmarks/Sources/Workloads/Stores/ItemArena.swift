import BenchmarkRows
import Baselines
import Foundation

/// The values of items in the form that the C baselines take. The arena owns the memory of the strings.
final class ItemArena {
    let items: UnsafeMutableBufferPointer<bl_item>
    private let texts: UnsafeMutableBufferPointer<CChar>

    /// Creates an arena.
    ///
    /// - Parameter folder: The key of a folder that contains all items, or `nil` to keep each item in its own
    ///   folder.
    init(_ values: [ItemValues], folder: Int64? = nil) {
        items = .allocate(capacity: values.count)
        let byteCount = values.reduce(0) { sum, item in
            sum
                + [item.name, item.title, item.code, item.note ?? ""].reduce(0) {
                    $0 + $1.utf8.count + 1
                }
        }
        texts = .allocate(capacity: max(1, byteCount))
        var place = 0
        for (index, value) in values.enumerated() {
            var item = item(value, &place)
            let own = ItemValues.folderIndex(at: index, of: values.count)
            item.folder = folder ?? Int64(own) + 1
            items.initializeElement(at: index, to: item)
        }
    }

    deinit {
        items.deallocate()
        texts.deallocate()
    }

    private func item(_ value: ItemValues, _ place: inout Int) -> bl_item {
        var item = bl_item()
        item.number = value.number
        item.category = value.category
        item.price = value.price
        item.rating = value.rating
        item.active = value.active ? 1 : 0
        item.created = value.created.timeIntervalSinceReferenceDate
        (item.name, item.name_length) = copy(value.name, &place)
        (item.title, item.title_length) = copy(value.title, &place)
        (item.code, item.code_length) = copy(value.code, &place)
        if let note = value.note { (item.note, item.note_length) = copy(note, &place) }
        return item
    }

    private func copy(_ text: String, _ place: inout Int) -> (UnsafePointer<CChar>?, Int32) {
        let start = place
        for byte in text.utf8 {
            texts.initializeElement(at: place, to: CChar(bitPattern: byte))
            place += 1
        }
        texts.initializeElement(at: place, to: 0)
        place += 1
        return (UnsafePointer(texts.baseAddress.map { $0 + start }), Int32(place - start - 1))
    }
}
