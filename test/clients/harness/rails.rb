# Plays a Rails view around the unmodified form helper of a gem, and gives the unmodified notification the form of the payer's browser.
require 'json'
require 'openssl'
step, root, utils = ARGV[0..2]
known = JSON.parse($stdin.read)
require 'digest'
Money = Class.new # the gem needs a money library; its form takes an amount as text
$:.unshift("#{root}/lib", "#{utils}/lib")
require 'active_support/all'
require 'action_view'
require 'offsite_payments'
OffsitePayments.mode = :test

class View < ActionView::Base
  include OffsitePayments::ActionViewHelper
  def protect_against_forgery? = true
  def request_forgery_protection_token = :authenticity_token
  def form_authenticity_token(*) = SecureRandom.base64(32)
end

if step == 'form'
  view = View.with_empty_template_cache.new(ActionView::LookupContext.new([]), {}, nil)
  options = { service: :paytm, amount: '499.50', currency: 'INR', credential2: known['key'], credential3: 'Retail', credential4: 'WEBSTAGING', return_url: 'https://shop.example/orders/1001/done' }
  page = view.capture do
    view.payment_service_for('1001', known['mid'], options) do |service|
      service.customer(email: 'asha@example.in')
      view.submit_tag('Proceed to pay')
    end
  end
  form = Nokogiri::HTML(page).at('form')
  fields = form.css('input[name]').to_h { |input| [input['name'], input['value'].to_s] }
  puts JSON.generate(action: form['action'], fields: fields)
else
  query = known['fields'].to_a.map { |pair| pair.map { |part| CGI.escape(part) }.join('=') }.join('&')
  notification = OffsitePayments.integration('paytm').notification(query, credential2: known['key'])
  said = { status: notification.status, item: notification.item_id, gross: notification.gross }
  puts JSON.generate(said.merge(acknowledged: notification.acknowledge))
end
