import Cairn
import CairnStack

/// Items that batches insert, change and delete. Each save of the workload is one batch, which an engine that groups
/// saves makes in several parts.
struct Stock: Workload {
    static let name = "stock"
    static let editsSave = true

    static var entities: [EntityDescription] {
        var item = EntityDescription(
            "Item",
            [
                .attribute("number", .integer64), .attribute("step", .integer64),
                .attribute("text", .string),
            ])
        item.uniquenessConstraints = [["number"]]
        item.fetchIndexes = [FetchIndexDescription("byStep", elements: [.init("step")])]
        return [item]
    }

    private let seed: UInt64
    private(set) var step = 0
    /// The step of the last save that changed an item, by the number of the item.
    private var steps: [Int: Int] = [:]

    init(seed: UInt64) { self.seed = seed }

    /// How many items are inserted in one save, and how many of them are deleted two saves later.
    private static let (insertedCount, deletedCount) = (30, 10)

    /// Every third save inserts, every third changes all items, and every third deletes.
    mutating func advance() -> [any Edit] {
        let first = step / 3 * Self.insertedCount
        step += 1
        switch step % 3 {
        case 1:
            let numbers = first..<first + Self.insertedCount
            for number in numbers { steps[number] = step }
            return [StockEdit.insert(numbers, step: step)]
        case 2:
            for number in steps.keys { steps[number] = step }
            return [StockEdit.update(step: step)]
        default:
            let numbers = first..<first + Self.deletedCount
            for number in numbers { steps[number] = nil }
            return [StockEdit.delete(numbers)]
        }
    }

    /// The text of an item, which differs for each item and step, and is long enough for several pages.
    static func text(_ number: Int, _ step: Int) -> String {
        String(repeating: "item \(number) in \(step). ", count: 12)
    }
}

/// A change of many items.
enum StockEdit: Edit {
    case insert(Range<Int>, step: Int)
    case update(step: Int)
    case delete(Range<Int>)

    func apply(to context: ManagedObjectContext) throws {
        // A batch of this size would not be saved in parts otherwise.
        try BatchContent.$partCount.withValue(8) { try save(context) }
    }

    private func save(_ context: ManagedObjectContext) throws {
        switch self {
        case .insert(let numbers, let step):
            let objects: [[String: Any]] = numbers.map {
                ["number": Int64($0), "step": Int64(step), "text": Stock.text($0, step)]
            }
            try context.execute(BatchInsertRequest(entityName: "Item", objects: objects))
        case .update(let step):
            try context.updateAll(FetchRequest<ManagedObject>("Item")) { item in
                let number = Int(try item.value(forKey: "number") as? Int64 ?? -1)
                try item.setValue(Int64(step), forKey: "step")
                try item.setValue(Stock.text(number, step), forKey: "text")
            }
        case .delete(let numbers):
            let request = try FetchRequest<ManagedObject>(
                "Item", where: "number >= %d AND number < %d", numbers.lowerBound,
                numbers.upperBound)
            try context.execute(BatchDeleteRequest(fetchRequest: request))
        }
    }
}

// MARK: Texts

extension Stock {
    var texts: [String] {
        steps.map { "Item \($0.key) of \($0.value)" }.sorted()
    }

    static func read(_ context: ManagedObjectContext) throws -> [String] {
        try context.all("Item").map(text(of:)).sorted()
    }

    static func text(of object: ManagedObject) throws -> String {
        let number = Int(try object.value(forKey: "number") as? Int64 ?? -1)
        let step = Int(try object.value(forKey: "step") as? Int64 ?? -1)
        let isWhole = try object.value(forKey: "text") as? String == text(number, step)
        return "Item \(number) of \(step)\(isWhole ? "" : " with another text")"
    }

    /// A deletion leaves only the number of items as its trace.
    static func readStep(_ context: ManagedObjectContext) throws -> Int {
        let items = try context.all("Item")
        let last = try items.map { Int(try $0.value(forKey: "step") as? Int64 ?? 0) }.max() ?? 0
        let countAfterDeletion = (insertedCount - deletedCount) * (last / 3 + 1)
        return last % 3 == 2 && items.count == countAfterDeletion ? last + 1 : last
    }
}
