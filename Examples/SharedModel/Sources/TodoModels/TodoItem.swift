import Foundation
import SwiftData

@Model
public final class TodoItem {
    #Index<TodoItem>([\.title])

    public let id: UUID
    public var title: String
    public var priority: Priority
    public var place: Place?
    public var due: Date?
    public private(set) var isDone = false
    public var list: TodoList?

    public init(title: String, priority: Priority = .normal) {
        id = UUID()
        self.title = title
        self.priority = priority
    }

    public func finish() { isDone = true }

    public enum Priority: Int, Codable, Sendable, CaseIterable {
        case low, normal, high
    }

    public struct Place: Codable, Hashable, Sendable {
        public var name: String
        public var floor: Int?

        public init(name: String, floor: Int? = nil) { (self.name, self.floor) = (name, floor) }
    }
}
