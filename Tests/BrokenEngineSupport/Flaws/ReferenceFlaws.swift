import CairnConformance
import CairnModel
import CairnRows
import CairnStore
import ServedStoreSupport

extension Flaw {
    static let ofReferences: [Flaw] = [
        referring("gives another number to a reference in each state") {
            $0.answered = { (batch, _, packing) throws(StoreError) in
                let shift = Int64(try packing.store.newestGeneration().rawValue)
                return RowBatch(batch.rows.map { packing.copy(of: $0, key: $0.key + shift) })
            }
        },
        referring("gives one reference to all objects of a save") {
            $0.requested = { (request, _) in
                let roots = Dictionary(grouping: request.inserted.rows, by: \.rootEntity)
                request.inserted = RowBatch(roots.values.compactMap(\.last))
            }
        },
        referring("gives references again") {
            $0.keys = { 1..<Int64($0.count) + 1 }
        },
        referring("finds no object by what another process wrote down") {
            $0.found = { (batch, _, _) in isAnotherProcess ? RowBatch() : batch }
        },
        referring("keeps the numbers of to-ones instead of their references") {
            $0.found = { (batch, _, packing) in
                isAnotherProcess ? packing.changed(batch, changedNumber) : batch
            }
        },
        referring("keeps the numbers of members instead of their references") {
            $0.related = { (related, _) in
                guard isAnotherProcess else { return related }
                var changed = RelatedIDs()
                for owner in 0..<related.count {
                    for index in related.range(ofOwnerAt: owner) {
                        let isOrdered = !related.orderKeys.isEmpty
                        changed.append(
                            related.members[index].next,
                            orderKey: isOrdered ? related.orderKeys[index] : nil)
                    }
                    changed.endOwner()
                }
                return changed
            }
        },
        referring("makes an object for every reference") {
            $0.found = { (batch, ids, packing) in
                guard batch.isEmpty, let id = ids.first,
                    let layout = packing.layouts.layout(of: id.entity)
                else { return batch }
                var writer = RowWriter(store: packing.store.number)
                writer.begin(layout, key: id.key, version: 1)
                writer.endRow()
                return writer.takeBatch()
            }
        },
    ]

    private static func referring(
        _ name: String, _ change: (inout Flaw) -> Void
    ) -> Flaw {
        Flaw(name) {
            $0.engine = ReferredStore.self
            change(&$0)
        }
    }

    private static var isAnotherProcess: Bool {
        CommandLine.arguments.last == WorkerExecutable.argument
    }

    private static let changedNumber: @Sendable (Value) -> Value = { value in
        if case .objectID(let id) = value { .objectID(id.next) } else { value }
    }
}

extension ObjectID {
    fileprivate var next: ObjectID {
        ObjectID(store: store, rootEntity: rootEntity, entity: entity, key: key + 1)
    }
}
