internal import CairnModel
internal import Foundation

/// The value of a property of a model without a context.
struct NewModelValue {
    enum Content {
        /// A relationship without a destination, or a to-many relationship that is `nil`.
        case nothing
        /// An attribute of a plain type.
        case plain(Value)
        case model(any PersistentModel)
        /// As `model`, but does not hold the model.
        case knownModel(KnownModel)
        /// A to-many relationship without members.
        case noModels
        case models(ModelList)
        /// An attribute of another type.
        indirect case other(Any)

        init<Model: PersistentModel>(_ models: [Model]?) {
            guard let models else {
                self = .nothing
                return
            }
            self = models.isEmpty ? .noModels : .models(TypedModelList(models))
        }

        init(_ models: [any PersistentModel], of type: any PersistentModel.Type, isHeld: Bool) {
            func content<Model: PersistentModel>(_: Model.Type) -> Self {
                let models = models.compactMap { $0 as? Model }
                return isHeld || models.isEmpty
                    ? Self(models) : .models(KnownModelList(models.map(KnownModel.init)))
            }
            self = content(type)
        }

        /// Returns the value of an attribute of a plain type, and leaves nothing. Returns `nil` for others.
        mutating func takePlain() -> Value? {
            // A bare `nil` would mean the value `.null`.
            guard case .plain = self else { return Value?.none }
            var content = Self.nothing
            swap(&self, &content)
            guard case .plain(let value) = consume content else { return Value?.none }
            return .some(value)
        }

        /// The destination of a to-one relationship.
        var destination: (any PersistentModel)? {
            switch self {
            case .model(let model): model
            case .knownModel(let known): known.model
            case .nothing, .plain, .noModels, .models, .other: nil
            }
        }
    }

    let name: StaticString
    var content: Content
}

/// The values of a model without a context.
///
/// The memory is managed manually, because an array costs several times as much, as in the overlays of objects.
struct NewModelValues: ~Copyable {
    private struct List {
        var count = 0
        /// The index after that of the last value that was set. Initializers set the initial values of all properties,
        /// and then set properties in about the same order.
        var next = 0
        var capacity: Int

        /// The elements of a list, which follow it in memory.
        static func elements(
            _ list: UnsafeMutablePointer<List>
        ) -> UnsafeMutablePointer<NewModelValue> {
            UnsafeMutableRawPointer(list + 1).assumingMemoryBound(to: NewModelValue.self)
        }
    }

    /// The address of the list, or 0 without one. The lowest bit is set once the values are those of an object.
    private var word: UInt

    init(areOfObject: Bool) { word = areOfObject ? 1 : 0 }

    deinit { Self.end(list) }

    /// Whether the values of the model are those of an object. Those of this list are then being moved into it, or gone.
    var areOfObject: Bool {
        get { word & 1 != 0 }
        set { word = word & ~1 | (newValue ? 1 : 0) }
    }

    /// The values, until one is added.
    var all: UnsafeMutableBufferPointer<NewModelValue> {
        guard let list else { return UnsafeMutableBufferPointer(start: nil, count: 0) }
        return UnsafeMutableBufferPointer(start: List.elements(list), count: list.pointee.count)
    }

    /// The value of a property. `nil` if it was not set.
    subscript(name: StaticString) -> NewModelValue.Content? {
        let (all, index) = (all, index(of: name))
        return index < all.count ? all[index].content : nil
    }

    /// Sets the value of a property.
    mutating func set(_ content: consuming NewModelValue.Content, _ name: StaticString) {
        if let list {
            let elements = List.elements(list)
            let count = list.pointee.count
            let next = list.pointee.next < count ? list.pointee.next : 0
            if elements[next].name.utf8Start == name.utf8Start {
                list.pointee.next = next &+ 1
                return Self.replace(elements + next, content)
            }
        }
        setElsewhere(content, name)
    }

    /// Sets the value of a property that usually has none yet.
    mutating func setElsewhere(
        _ content: consuming NewModelValue.Content, _ name: StaticString
    ) {
        let index = index(of: name)
        let list = listWithRoom(for: index)
        list.pointee.next = index &+ 1
        let element = List.elements(list) + index
        if index < list.pointee.count { return Self.replace(element, content) }
        element.initialize(to: NewModelValue(name: name, content: content))
        list.pointee.count = index &+ 1
    }

    /// Returns the index of the value of a property, or that of the next value that is added.
    @inline(__always) private func index(of name: StaticString) -> Int {
        guard let list else { return 0 }
        let (elements, count) = (List.elements(list), list.pointee.count)
        let (start, byteCount) = (name.utf8Start, name.utf8CodeUnitCount)
        var index = 0
        while index < count {
            if elements[index].name.utf8CodeUnitCount == byteCount {
                let other = elements[index].name.utf8Start
                if other == start || memcmp(other, start, byteCount) == 0 { return index }
            }
            index &+= 1
        }
        return count
    }

    /// Replaces a value. The former one ends after the access, because a model that ends with it may use the values.
    @inline(__always) private static func replace(
        _ element: UnsafeMutablePointer<NewModelValue>, _ content: consuming NewModelValue.Content
    ) {
        swap(&element.pointee.content, &content)
    }

    /// Removes the values.
    mutating func removeAll() {
        // Models that end with a value may use their own values.
        let former = list
        word &= 1
        Self.end(former)
    }

    /// Returns whether two names are equal. Usually, those of the same property are the same literal.
    @inline(__always) static func areEqual(_ left: StaticString, _ right: StaticString) -> Bool {
        left.utf8Start == right.utf8Start || haveSameBytes(left, right)
    }

    @inline(never)
    private static func haveSameBytes(_ left: StaticString, _ right: StaticString) -> Bool {
        let count = left.utf8CodeUnitCount
        guard count == right.utf8CodeUnitCount else { return false }
        return memcmp(left.utf8Start, right.utf8Start, count) == 0
    }

    // MARK: Memory

    private var list: UnsafeMutablePointer<List>? { UnsafeMutablePointer(bitPattern: word & ~1) }

    /// Returns the list with memory for an element at an index.
    private mutating func listWithRoom(for index: Int) -> UnsafeMutablePointer<List> {
        let former = list
        if let former, index < former.pointee.capacity { return former }
        let capacity = former.map { 2 * $0.pointee.capacity } ?? 8
        // Memory of Swift's own is aligned by a call that takes several times as long.
        guard
            let made = malloc(
                MemoryLayout<List>.stride + capacity * MemoryLayout<NewModelValue>.stride)?
                .bindMemory(to: List.self, capacity: 1)
        else { preconditionFailure("there is no memory for the values of a new model") }
        made.initialize(to: List(capacity: capacity))
        let elements = UnsafeMutableRawPointer(made + 1)
            .bindMemory(to: NewModelValue.self, capacity: capacity)
        if let former {
            (made.pointee.count, made.pointee.next) = (former.pointee.count, former.pointee.next)
            elements.moveInitialize(from: List.elements(former), count: former.pointee.count)
            free(former)
        }
        word = UInt(bitPattern: made) | word & 1
        return made
    }

    private static func end(_ list: UnsafeMutablePointer<List>?) {
        guard let list else { return }
        // One by one, because destroying many elements calls the runtime for each. Those that were moved are nothing.
        for index in 0..<list.pointee.count {
            let element = List.elements(list) + index
            if case .nothing = element.pointee.content { continue }
            element.deinitialize(count: 1)
        }
        free(list)
    }
}

/// A reference to a model that it does not hold.
final class KnownModel {
    private(set) weak var model: (any PersistentModel)?

    init(model: any PersistentModel) { self.model = model }
}

/// The members of a to-many relationship of a model without a context.
class ModelList {
    var all: [any PersistentModel] { [] }
}

/// Members as an array of their class, so that reading them needs no conversion.
final class TypedModelList<Model: PersistentModel>: ModelList {
    let models: [Model]

    init(_ models: [Model]) { self.models = models }

    override var all: [any PersistentModel] { models }
}

/// Members that the list does not hold.
final class KnownModelList: ModelList {
    private let models: [KnownModel]

    init(_ models: [KnownModel]) { self.models = models }

    override var all: [any PersistentModel] { models.compactMap(\.model) }
}
