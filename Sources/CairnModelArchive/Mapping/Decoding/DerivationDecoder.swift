import CairnModel

/// Reads how a derived attribute is computed.
enum DerivationDecoder {
    static func derivation(_ object: ArchivedObject) throws(ModelArchiveError) -> Derivation {
        let expression = try object.value("NSDerivationExpression")
        // A derivation of no known form stays empty: the store's triggers compute it all the same.
        let text =
            try object.string(ArchiveKey.expressionText) ?? ExpressionText.text(of: expression)
        let filter = try PredicateDecoder.predicate(object.value("NSFilteringPredicate")).predicate
        return Derivation(expression: text ?? "", filter: filter)
    }
}
