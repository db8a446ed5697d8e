import Foundation
import SwiftData

/// What programs do with the models, on a context of its own.
@ModelActor
public actor TodoStore {
    /// Adds an item to a list, which is created if it does not exist.
    public func add(
        _ title: String, toListNamed name: String, priority: TodoItem.Priority = .normal,
        at place: TodoItem.Place? = nil
    ) throws {
        let item = TodoItem(title: title, priority: priority)
        item.place = place
        let known = try modelContext.fetch(
            FetchDescriptor<TodoList>(predicate: #Predicate { $0.name == name }))
        let list = known.first ?? TodoList(name: name)
        modelContext.insert(list)
        list.items.append(item)
        try modelContext.save()
    }

    /// Finishes the open items with a title, and returns their number.
    public func finish(_ title: String) throws -> Int {
        let items = try modelContext.fetch(
            FetchDescriptor<TodoItem>(
                predicate: #Predicate { $0.title == title && !$0.isDone }))
        for item in items { item.finish() }
        try modelContext.save()
        return items.count
    }

    /// Deletes a list with its items. Returns `false` if there is no such list.
    public func deleteList(named name: String) throws -> Bool {
        let lists = try modelContext.fetch(
            FetchDescriptor<TodoList>(predicate: #Predicate { $0.name == name }))
        for list in lists { modelContext.delete(list) }
        try modelContext.save()
        return !lists.isEmpty
    }

    /// Returns a line for each open item: the most urgent first, then by title.
    public func openItems() throws -> [String] {
        let items = try modelContext.fetch(
            FetchDescriptor<TodoItem>(
                predicate: #Predicate { !$0.isDone }, sortBy: [SortDescriptor(\.title)]))
        return items.sorted { $0.priority.rawValue > $1.priority.rawValue }.map { item in
            let place = item.place.map { " at \($0.name)" } ?? ""
            return "\(item.list?.name ?? "-"): \(item.title) (\(item.priority))\(place)"
        }
    }
}
