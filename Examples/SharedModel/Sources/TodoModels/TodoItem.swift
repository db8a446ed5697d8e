import Foundation
import SwiftData

/// A thing to do.
@Model
public final class TodoItem {
    #Index<TodoItem>([\.title])

    /// The identity of the item in all stores.
    public let id: UUID
    /// What to do.
    public var title: String
    /// How urgent it is.
    public var priority: Priority
    /// The location, if it matters.
    public var place: Place?
    /// The last day. `nil` means any day.
    public var due: Date?
    /// Whether it was done.
    public private(set) var isDone = false
    /// The list that contains the item.
    public var list: TodoList?

    /// Creates an item without a list.
    public init(title: String, priority: Priority = .normal) {
        id = UUID()
        self.title = title
        self.priority = priority
    }

    /// Marks the item as done.
    public func finish() { isDone = true }

    /// How urgent an item is.
    public enum Priority: Int, Codable, Sendable, CaseIterable {
        case low, normal, high
    }

    /// A location.
    public struct Place: Codable, Hashable, Sendable {
        /// The name of a room or a house.
        public var name: String
        /// The number of the floor. `nil` if there is only one.
        public var floor: Int?

        /// Creates a location.
        public init(name: String, floor: Int? = nil) { (self.name, self.floor) = (name, floor) }
    }
}
