import CairnModel
import CairnRows

/// The indexes of the rows.
extension StoreTable {
    /// Changes the entries of a row that is added, replaced or removed.
    mutating func reindex(_ old: Row?, _ new: Row?) {
        if let old, let new, old.entity == new.entity {
            for index in schema.plan(of: new.entity, \.indexes) ?? [] {
                let (from, to) = (index.code(of: old), index.code(of: new))
                if from != to { move(key: new.key, in: index.index, from: from, to: to) }
            }
            for index in schema.plan(of: new.entity, \.valueIndexes) ?? [] {
                valueIndexes[index.index].change { entries in
                    let (from, to) = (ValueKey(index.slot, in: old), ValueKey(index.slot, in: new))
                    if from == to { return }
                    entries.removeValue(for: from)
                    entries.set((), for: to)
                }
            }
            return
        }
        if let old {
            for index in schema.plan(of: old.entity, \.indexes) ?? [] {
                move(key: old.key, in: index.index, from: index.code(of: old), to: nil)
            }
            for index in schema.plan(of: old.entity, \.valueIndexes) ?? [] {
                valueIndexes[index.index].change {
                    $0.removeValue(for: ValueKey(index.slot, in: old))
                }
            }
        }
        if let new {
            for index in schema.plan(of: new.entity, \.indexes) ?? [] {
                move(key: new.key, in: index.index, from: nil, to: index.code(of: new))
            }
            for index in schema.plan(of: new.entity, \.valueIndexes) ?? [] {
                valueIndexes[index.index].change { $0.set((), for: ValueKey(index.slot, in: new)) }
            }
        }
    }

    private mutating func move(key: Int64, in index: Int, from: Int64?, to: Int64?) {
        indexes[index].change { entries in
            if let from { entries.removeValue(for: KeyPair(from, key)) }
            if let to { entries.set((), for: KeyPair(to, key)) }
        }
    }

    func entries(ofIndex index: Int) -> TableIndex<KeyPair>.Entries {
        indexes[index].entries {
            let entries = sorted(
                readEntries(of: { plan in plan.indexes.first { $0.index == index } }) {
                    index, row in
                    index.code(of: row).map { KeyPair($0, row.key) }
                })
            return SortedMap(count: entries.count, key: { entries[$0] }, value: { _ in () })
        }
    }

    /// Returns the entries of an index of attribute values.
    func entries(ofValueIndex index: Int) -> TableIndex<ValueKey>.Entries {
        valueIndexes[index].entries {
            // Numbers are sorted as pairs, because entries with a text are copied at a higher cost.
            var others: [ValueKey] = []
            let numbers = sorted(
                readEntries(of: { plan in plan.valueIndexes.first { $0.index == index } }) {
                    if let code = IndexCode.code(of: $0.slot, in: $1) {
                        return KeyPair(code, $1.key)
                    }
                    others.append(ValueKey($0.slot, in: $1))
                    return nil
                })
            // Without numbers, the others are values. With numbers, they are `nil`, which is first.
            let rest = RadixSort.sorted(others, by: \.order, <)
            return SortedMap(
                count: rest.count + numbers.count,
                key: { $0 < rest.count ? rest[$0] : ValueKey(number: numbers[$0 - rest.count]) },
                value: { _ in () })
        }
    }

    private func sorted(_ pairs: [KeyPair]) -> [KeyPair] {
        RadixSort.sorted(pairs, by: { UInt64(bitPattern: $0.first) ^ 1 << 63 }, <)
    }

    /// Reads the entries of an index from all rows.
    ///
    /// - Parameters:
    ///   - index: returns the index as it is in an entity's plan, or `nil` if the index does not
    ///     contain the entity's rows.
    ///   - entry: returns the entry of a row, or `nil` if the index does not contain the row.
    private func readEntries<Index, Entry>(
        of index: (EntityPlan) -> Index?, _ entry: (Index, Row) -> Entry?
    ) -> [Entry] {
        var entries: [Entry] = []
        for root in schema.rootEntities
        where schema.hasPlan(below: root, where: { index($0) != nil }) {
            let rows = rows(root: root)
            entries.reserveCapacity(rows.count)
            // Adjacent rows usually have one entity, whose plan is then looked up once.
            var plan: (entity: EntityNumber, index: Index?)?
            var position = rows.start
            while let (_, row) = rows.next(&position) {
                let entity = row.entity
                if plan?.entity != entity {
                    plan = (entity, schema.plan(of: entity, index) ?? nil)
                }
                guard let index = plan?.index, let found = entry(index, row) else { continue }
                entries.append(found)
            }
        }
        return entries
    }

    /// Returns the keys of the rows with a code in the range, sorted by code and then by key.
    func keys(withCodes codes: ClosedRange<Int64>, inIndex index: Int) -> [Int64] {
        var keys: [Int64] = []
        entries(ofIndex: index).forEach(from: KeyPair(codes.lowerBound, .min)) { entry, _ in
            guard entry.first <= codes.upperBound else { return false }
            keys.append(entry.second)
            return true
        }
        return keys
    }

    /// Returns the keys of the rows with a value in the range, sorted by value and then by key.
    /// Returns `nil` if there are more than `most` rows.
    func keys(in range: ValueRange, ofValueIndex index: Int, atMost most: Int) -> [Int64]? {
        var keys: [Int64] = []
        var isComplete = true
        entries(ofValueIndex: index).forEach(from: range.from) { entry, _ in
            guard range.reaches(entry) else { return false }
            isComplete = keys.count < most
            if isComplete { keys.append(entry.row) }
            return isComplete
        }
        return isComplete ? keys : nil
    }
}
