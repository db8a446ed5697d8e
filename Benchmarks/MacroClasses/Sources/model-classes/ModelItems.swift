import Foundation
import SwiftData

/// The operations on models of SwiftData, each of which returns its time in seconds.
struct ModelItems {
    private let container: ModelContainer

    init(in folder: URL) throws {
        container = try ModelContainer(
            for: ModelItem.self,
            configurations: ModelConfiguration(url: folder.appending(path: "models.store")))
    }

    func insertAndSave(_ count: Int) throws -> (insert: Double, save: Double) {
        let context = ModelContext(container)
        let clock = Clock()
        let folder = ModelFolder()
        context.insert(folder)
        for number in 0..<count {
            let item = ModelItem(
                name: "item \(number)", number: number, note: number % 2 == 0 ? nil : "note",
                folder: folder)
            context.insert(item)
        }
        let insert = clock.seconds
        try context.save()
        return (insert, clock.seconds - insert)
    }

    func fetchAndRead() throws -> (fetch: Double, read: Double) {
        let context = ModelContext(container)
        let clock = Clock()
        let items = try context.fetch(FetchDescriptor<ModelItem>())
        var sum = items.reduce(0) { $0 &+ $1.number }
        let fetch = clock.seconds
        for _ in 0..<3 { sum &+= items.reduce(0) { $0 &+ $1.number &+ $1.name.utf8.count } }
        let read = clock.seconds - fetch
        return (sum == 0 ? 0 : fetch, read)
    }

    /// Fetches all models, and returns the bytes that they take.
    func hold() throws -> Int {
        let context = ModelContext(container)
        let start = try Memory.residentBytes()
        let items = try context.fetch(FetchDescriptor<ModelItem>())
        let sum = items.reduce(0) { $0 &+ $1.number }
        return try withExtendedLifetime(items) {
            sum == 0 ? 0 : try Memory.residentBytes() - start
        }
    }
}
