import Synchronization

/// The references of one root entity's objects in one store, and the numbers that stand for them in
/// this process.
///
/// A number stands for one reference, and a reference has one number, for as long as the process runs:
/// the ``StoreDirectory`` keeps the table, and all handles of the store share it. Numbers begin at 1 and
/// are never given twice. Another process gives other numbers.
///
/// Nothing is ever removed, because anybody may hold an ID. Each reference takes about 100 bytes, and a
/// text of more than 15 bytes its length and about 60 bytes more.
public final class ReferenceTable: Sendable {
    /// The name of the root entity.
    public let entity: String
    /// What its objects are identified by.
    public let kind: ReferenceObject.Kind

    fileprivate struct State {
        /// By number, from 1 at index 0. `nil` for a number that has no reference yet.
        var near: [ReferenceObject?] = []
        /// The references of numbers that are far above all others.
        var far: [Int64: ReferenceObject] = [:]
        var numbers: [ReferenceObject: Int64] = [:]
        /// The first number that was never given.
        var next: Int64 = 1
    }

    private let state = Mutex(State())

    init(entity: String, kind: ReferenceObject.Kind) {
        self.entity = entity
        self.kind = kind
    }

    // MARK: Looking up

    /// Returns the reference that a number stands for. Returns `nil` for a number that was never given,
    /// and for one that has no reference yet.
    public func reference(of number: Int64) -> ReferenceObject? {
        state.withLock { $0.reference(of: number) }
    }

    /// Returns the number that stands for a reference. Returns `nil` if the reference has none.
    public func number(of reference: ReferenceObject) -> Int64? {
        state.withLock { $0.numbers[reference] }
    }

    /// Returns the numbers that stand for some references, in their order. A reference that is seen for
    /// the first time gets the next number.
    ///
    /// An engine calls this with the references of all rows that it has read, and of all objects that
    /// these lead to.
    ///
    /// - Throws: `.keysExhausted`.
    public func intern(_ references: [ReferenceObject]) throws(StoreError) -> [Int64] {
        try state.withLock { (state) throws(StoreError) in
            var numbers: [Int64] = []
            numbers.reserveCapacity(references.count)
            for reference in references {
                numbers.append(try state.number(for: reference, of: entity))
            }
            return numbers
        }
    }

    // MARK: New objects

    /// Gives numbers to new objects whose references are known: UUIDs that this process makes, or
    /// keys that a server has reserved.
    ///
    /// - Returns: as many numbers as there are references, which follow each other in the same order.
    ///   Returns `nil`, and changes nothing, if a reference has a number already or occurs twice.
    /// - Throws: `.keysExhausted`.
    public func reserve(_ references: [ReferenceObject]) throws(StoreError) -> Range<Int64>? {
        try state.withLock { (state) throws(StoreError) -> Range<Int64>? in
            guard Set(references).count == references.count,
                !references.contains(where: { state.numbers[$0] != nil })
            else { return nil }
            let range = try state.take(references.count, of: entity)
            for (number, reference) in zip(range, references) {
                state.set(reference, for: number)
            }
            return range
        }
    }

    /// Gives numbers to new objects whose references are not known yet, such as those that come from an
    /// attribute. ``bind(_:to:)`` tells them later.
    ///
    /// - Throws: `.keysExhausted`.
    public func reserve(_ count: Int) throws(StoreError) -> Range<Int64> {
        try state.withLock { (state) throws(StoreError) in try state.take(count, of: entity) }
    }

    /// Says which reference a number stands for that was reserved without one.
    ///
    /// Call this before anybody can see the save that has the object. Call ``unbind(_:)`` if the save
    /// does not take place.
    ///
    /// - Returns: `false`, if the number stands for another reference, or the reference has another
    ///   number. Nothing has changed then.
    public func bind(_ number: Int64, to reference: ReferenceObject) -> Bool {
        state.withLock { state in
            if let known = state.reference(of: number) { return known == reference }
            guard state.numbers[reference] == nil else { return false }
            state.set(reference, for: number)
            return true
        }
    }

    /// Takes back what ``bind(_:to:)`` said: the object was not saved. The number stands for nothing
    /// again, and is not given to another object.
    ///
    /// - Precondition: no row with the reference was read since.
    public func unbind(_ number: Int64) { state.withLock { $0.removeReference(of: number) } }

    /// Makes references for numbers that came from somewhere else, as with the rows of a copied store.
    /// Numbers that have one keep it.
    ///
    /// - Parameter isReserved: whether every number up to the greatest counts as given.
    public func adopt(_ numbers: some Sequence<Int64>, isReserved: Bool) {
        state.withLock { state in
            for number in numbers where number > 0 {
                if isReserved, number >= state.next {
                    state.next = number == .max ? number : number + 1
                }
                if state.reference(of: number) == nil {
                    state.set(kind.makeReference(), for: number)
                }
            }
        }
    }
}

extension ReferenceTable.State {
    /// How far above all others a number may be and still count as near them.
    private static let gap: Int64 = 1024

    fileprivate func reference(of number: Int64) -> ReferenceObject? {
        if number < 1 { return nil }
        if number <= near.count { return near[Int(number) - 1] }
        return far.isEmpty ? nil : far[number]
    }

    fileprivate mutating func set(_ reference: ReferenceObject, for number: Int64) {
        numbers[reference] = number
        if number > near.count {
            guard number - Int64(near.count) <= Self.gap else { return far[number] = reference }
            while near.count < number {
                near.append(far.isEmpty ? nil : far.removeValue(forKey: Int64(near.count) + 1))
            }
        }
        near[Int(number) - 1] = reference
    }

    fileprivate mutating func removeReference(of number: Int64) {
        guard let reference = reference(of: number) else { return }
        numbers[reference] = nil
        if number <= near.count { near[Int(number) - 1] = nil } else { far[number] = nil }
    }

    fileprivate mutating func number(
        for reference: ReferenceObject, of entity: String
    ) throws(StoreError) -> Int64 {
        if let known = numbers[reference] { return known }
        let number = try take(1, of: entity).lowerBound
        set(reference, for: number)
        return number
    }

    /// Takes numbers that follow each other, none of which was given or has a reference.
    fileprivate mutating func take(
        _ count: Int, of entity: String
    ) throws(StoreError) -> Range<Int64> {
        var first = next
        while true {
            let (end, overflows) = first.addingReportingOverflow(Int64(count))
            if overflows { throw .keysExhausted(entity: entity) }
            // An object that is not there yet may be known by what leads to it.
            guard let known = (first..<end).last(where: { reference(of: $0) != nil }) else {
                next = end
                return first..<end
            }
            first = known + 1
        }
    }
}
