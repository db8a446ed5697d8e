import Foundation
import SwiftData

/// A base class of the app, with shared properties.
@Model
class Item {
    var name: String
    @Attribute(originalName: "created_at") var createdAt: Date = Date(timeIntervalSince1970: 0)
    var values: [Double] = []
    var mark: Int = 1
    var path: String?
    var backing: String = "soil"
    var context: String?
    var entity: String?
    var registrar: Int?
    var key: String = "key"
    var object: Int = 3
    var value: Int = 4
    var type: String = "item"
    var newValue: Int = 5
    var oldValue: Int = 6
    var initialValue: Int = 7
    var `init`: Int = 9
    var store: Int = 10
    var home: String = "home"
    var kind: Kind = Kind.plant
    var garden: Garden?
    var neighbours: [Item] = []
    @Relationship(inverse: \Item.neighbours) var neighbourOf: [Item] = []

    enum Kind: String, Codable { case plant, tool }

    init(_ name: String) { self.name = name }

    convenience init(_ name: String, in garden: Garden) {
        self.init(name)
        self.garden = garden
    }

    func summary() -> String { "\(name) \(type)" }
}

@available(macOS 15, *)
@Model
final class Plant: Item {
    var height: Double = 0
    var latin: String?
    var watered: [Watering] = [] {
        willSet { lastCount = newValue.count }
        didSet(old) { if old.count < watered.count { growths += 1 } }
    }
    var growths: Int = 0
    @Transient var lastCount = 0

    struct Watering: Codable, Hashable {
        var date: Date
        var litres: Double
    }

    init(_ name: String, height: Double) {
        self.height = height
        self.latin = nil
        super.init(name)
        kind = .plant
    }

    override func summary() -> String { super.summary() + " \(height)" }
}

@Model
final class Garden {
    @Relationship(
        deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 100, inverse: \Item.garden)
    private var storedItems: [Item] = []
    var title: String
    var address: Address
    var owner: Gardener
    private var rawSize: Int = 0
    fileprivate(set) var plan: Plan? = nil
    var deputies: [Gardener]?

    var items: [Item] {
        get { storedItems.sorted { $0.name < $1.name } }
        set { storedItems = newValue }
    }

    var size: Size {
        get { Size(rawValue: rawSize) ?? .small }
        set { rawSize = newValue.rawValue }
    }

    init(title: String, owner: Gardener) {
        (self.title, address) = (title, Address(street: "Main Street"))
        self.owner = owner
        size = .large
        plan = Plan(rows: [[1, 2], [3]])
    }

    enum Size: Int { case small, large }

    struct Address: Codable, Hashable {
        struct Country: Codable, Hashable {
            var code: String
            var name: String?
        }

        var street: String
        var number: Int?
        var country: Country? = Country(code: "DE")
        var lines: [String] = []
    }

    struct Plan: Codable, Hashable { var rows: [[Int]] }
}

@Model
final class Gardener {
    var name: String
    @Relationship(inverse: \Garden.owner) var gardens: [Garden]? = nil
    @Relationship(inverse: \Garden.deputies) var helps = [Garden]()
    var mentor: Gardener?
    @Relationship(inverse: \Gardener.mentor) var pupils: [Gardener] = []

    init(name: String = "") { self.name = name }
}

extension Gardener {
    static func preview() -> Gardener { Gardener(name: "Preview") }

    static func named(_ name: String) -> FetchDescriptor<Gardener> {
        var descriptor = FetchDescriptor<Gardener>(
            predicate: #Predicate { $0.name == name },
            sortBy: [SortDescriptor(\.name, order: .reverse)])
        descriptor.fetchLimit = 1
        descriptor.relationshipKeyPathsForPrefetching = [\.gardens]
        return descriptor
    }
}
