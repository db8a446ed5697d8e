public import CairnObjects
public import Foundation

/// A type whose values attributes hold without conversion. Only types of Swift and Foundation conform.
public protocol _PlainValue: AttributeValue {}

extension Bool: _PlainValue {}
extension Int: _PlainValue {}
extension Int16: _PlainValue {}
extension Int32: _PlainValue {}
extension Int64: _PlainValue {}
extension Float: _PlainValue {}
extension Double: _PlainValue {}
extension Decimal: _PlainValue {}
extension String: _PlainValue {}
extension Date: _PlainValue {}
extension UUID: _PlainValue {}
extension URL: _PlainValue {}
extension Data: _PlainValue {}
