import Synchronization

/// The references of one root entity's objects in one store, and the numbers that stand for them in
/// this process.
///
/// A number stands for one reference, and a reference has one number, for as long as the process
/// runs. The ``StoreDirectory`` keeps the table, and all handles of the store share it. Numbers
/// begin at 1 and are never assigned twice. Another process may assign other numbers.
///
/// Entries are never removed, because IDs may be held anywhere. Each reference takes about 100
/// bytes. A string of more than 15 bytes takes its length and about 60 bytes in addition.
public final class ReferenceTable: Sendable {
    /// The name of the root entity.
    public let entity: String
    /// The kind of reference that identifies the objects.
    public let kind: ReferenceObject.Kind

    fileprivate struct State {
        /// The references by number minus 1. `nil` for a number without a reference.
        var near: [ReferenceObject?] = []
        /// The references of numbers that are far greater than all others.
        var far: [Int64: ReferenceObject] = [:]
        var numbers: [ReferenceObject: Int64] = [:]
        /// The lowest number that has never been assigned.
        var next: Int64 = 1
    }

    private let state = Mutex(State())

    init(entity: String, kind: ReferenceObject.Kind) {
        self.entity = entity
        self.kind = kind
    }

    // MARK: Looking up

    /// Returns the reference that a number stands for, or `nil` if the number has never been
    /// assigned or has no reference yet.
    public func reference(of number: Int64) -> ReferenceObject? {
        state.withLock { $0.reference(of: number) }
    }

    /// Returns the number that stands for a reference, or `nil` if the reference has no number.
    public func number(of reference: ReferenceObject) -> Int64? {
        state.withLock { $0.numbers[reference] }
    }

    /// Returns the numbers that stand for the references, in the same order. A reference that is
    /// seen for the first time gets the next number.
    ///
    /// An engine calls this with the references of all rows that it has read, and of all objects
    /// that these rows lead to.
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

    /// Reserves numbers for new objects whose references are known, such as UUIDs that this process
    /// created or keys that a server has reserved.
    ///
    /// - Returns: consecutive numbers for the references, in the same order. `nil` if a reference
    ///   already has a number or occurs twice. Nothing has changed then.
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

    /// Reserves numbers for new objects whose references are not known yet, for example because
    /// they come from an attribute. Set the references later with ``bind(_:to:)``.
    ///
    /// - Throws: `.keysExhausted`.
    public func reserve(_ count: Int) throws(StoreError) -> Range<Int64> {
        try state.withLock { (state) throws(StoreError) in try state.take(count, of: entity) }
    }

    /// Sets the reference of a number that was reserved without one.
    ///
    /// Call this before the save of the object becomes visible to anyone. If the save fails, call
    /// ``unbind(_:)``.
    ///
    /// - Returns: `false` if the number stands for another reference, or if the reference has
    ///   another number. Nothing has changed then.
    public func bind(_ number: Int64, to reference: ReferenceObject) -> Bool {
        state.withLock { state in
            if let known = state.reference(of: number) { return known == reference }
            guard state.numbers[reference] == nil else { return false }
            state.set(reference, for: number)
            return true
        }
    }

    /// Undoes ``bind(_:to:)`` because the object was not saved. The number then stands for nothing
    /// again, and is not given to another object.
    ///
    /// - Precondition: no row with the reference was read since it was bound.
    public func unbind(_ number: Int64) { state.withLock { $0.removeReference(of: number) } }

    /// Creates references for numbers that come from elsewhere, for example from the rows of a
    /// copied store. Numbers that already have a reference keep it.
    ///
    /// - Parameters:
    ///   - numbers: the numbers, in any order. Numbers that are not greater than 0 are ignored.
    ///   - isReserved: whether every number up to the greatest of these is regarded as given.
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
    /// How far a number may be above all others and still be stored in ``near``.
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

    /// Takes consecutive numbers that have never been assigned and have no references.
    fileprivate mutating func take(
        _ count: Int, of entity: String
    ) throws(StoreError) -> Range<Int64> {
        var first = next
        while true {
            let (end, overflows) = first.addingReportingOverflow(Int64(count))
            if overflows { throw .keysExhausted(entity: entity) }
            // Other rows may lead to an object that does not exist yet, so its number may already
            // have a reference.
            guard let known = (first..<end).last(where: { reference(of: $0) != nil }) else {
                next = end
                return first..<end
            }
            first = known + 1
        }
    }
}
